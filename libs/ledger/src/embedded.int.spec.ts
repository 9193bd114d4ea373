/** The embedded cluster: made once, started again on the same data, and taken over after a crash. */
import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { prepareEmbeddedPostgres, startEmbeddedPostgres, type EmbeddedPostgres } from './index.js';

let folder: string;
let running: EmbeddedPostgres | undefined;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-embedded-'));
  await chmod(folder, 0o755);
});

afterAll(async () => {
  await running?.stop();
  await rm(folder, { recursive: true, force: true });
});

const start = (): Promise<EmbeddedPostgres> =>
  startEmbeddedPostgres({ dataDir: path.join(folder, 'data'), password: 'p@ss:/word', settings: { fsync: 'off' } });

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows;
}

it('keeps its data over a stop, listens on loopback only, and asks for the password', async () => {
  running = await start();
  await query(running.url, "CREATE TABLE kept AS SELECT 'yes' AS kept");
  expect(await query(running.url, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
  const wrong = running.url.replace(/:[^:@/]+@/, ':wrong@');
  await expect(query(wrong, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
  await running.stop();
  await running.stop();
  running = await start();
  expect(await query(running.url, 'SELECT kept FROM kept')).toEqual([{ kept: 'yes' }]);
}, 60_000);

it('takes over from a server that a killed process left behind', async () => {
  const left = running;
  running = await start();
  expect(running.port).not.toBe(left?.port);
  expect(await query(running.url, 'SELECT kept FROM kept')).toEqual([{ kept: 'yes' }]);
}, 60_000);

it('puts back the links that npm left out', async () => {
  const { initdb } = await prepareEmbeddedPostgres();
  const lib = path.resolve(path.dirname(initdb), '..', 'lib');
  const list = await readFile(path.resolve(lib, '..', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = (JSON.parse(list) as { target: string }[]).map((link) => path.basename(link.target));
  const [first] = links;
  if (first === undefined) return;
  await rm(path.join(lib, first));
  await prepareEmbeddedPostgres();
  expect(await readdir(lib)).toEqual(expect.arrayContaining(links));
  expect(spawnSync(initdb, ['--version']).status).toBe(0);
});
