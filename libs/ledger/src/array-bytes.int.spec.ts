/** What our own encoding of array parameters says, as a real Postgres reads it. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPostgres, type TestDatabase, type TestPostgres } from '@countersign/testing';
import pg from 'pg';
import { int4Array, int8Array, textArray, textMatrix } from './array-bytes.js';

const TEXTS = [
  '',
  'plain',
  'NULL',
  '{}',
  '"quoted"',
  'back\\slash',
  'a,b',
  'é',
  '😀 and more',
  'x'.repeat(47),
  'y'.repeat(49),
];

describe('array parameters in binary form', () => {
  let postgres: TestPostgres;
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    postgres = await startPostgres();
    database = await postgres.createEmptyDatabase();
    client = new pg.Client({ connectionString: database.ownerUrl });
    await client.connect();
  }, 60_000);

  afterAll(async () => {
    await client.end();
    await database.drop();
    await postgres.stop();
  });

  async function read(type: string, value: Buffer): Promise<unknown> {
    const { rows } = await client.query<{ value: unknown }>(`SELECT $1::${type} AS value`, [value]);
    return rows[0]?.value;
  }

  it('carries texts of every kind, and null', async () => {
    expect(await read('text[]', textArray([...TEXTS, null]))).toEqual([...TEXTS, null]);
    expect(await read('text[]', textArray([]))).toEqual([]);
  });

  it('carries a matrix, with numbers and truth values as text', async () => {
    const rows = [
      [1, 'a', null, true],
      [2, 'b'.repeat(100_000), -7, false],
    ];
    expect(await read('text[]', textMatrix(rows))).toEqual([
      ['1', 'a', null, 'true'],
      ['2', 'b'.repeat(100_000), '-7', 'false'],
    ]);
    expect(await read('text[]', textMatrix([]))).toEqual([]);
  });

  it('carries whole numbers', async () => {
    expect(await read('int4[]', int4Array([0, -1, 2 ** 31 - 1, null]))).toEqual([0, -1, 2 ** 31 - 1, null]);
    expect(await read('int8[]', int8Array([2 ** 53 - 1, -(2 ** 40), null]))).toEqual([
      '9007199254740991',
      '-1099511627776',
      null,
    ]);
    expect(() => int4Array([2 ** 31])).toThrow('out of range');
  });

  it('writes a lone surrogate as every other encoder does', async () => {
    expect(await read('text[]', textArray(['\ud800', `${'z'.repeat(60)}\ud800`]))).toEqual([
      '\ufffd',
      `${'z'.repeat(60)}\ufffd`,
    ]);
  });

  it('refuses a matrix whose rows differ in length', () => {
    expect(() => textMatrix([['a'], ['a', 'b']])).toThrow(TypeError);
  });

  it('keeps its scratch to itself: an earlier value stands while a later one is made', async () => {
    const first = textArray(['first', 'x'.repeat(70_000)]);
    textArray(['second', 'y'.repeat(90_000)]);
    expect(await read('text[]', first)).toEqual(['first', 'x'.repeat(70_000)]);
  });
});
