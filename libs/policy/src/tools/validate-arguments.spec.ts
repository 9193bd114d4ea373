import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { checkSchema, type JsonSchema } from './json-schema.js';
import { describeProblem, validateArguments } from './validate-arguments.js';

function problems(schema: JsonSchema, value: unknown): string[] {
  return validateArguments(schema, value).map(describeProblem);
}

const EDITS: JsonSchema = {
  type: 'object',
  required: ['file_path'],
  properties: {
    file_path: { type: 'string', minLength: 1, pattern: '^/' },
    edits: { type: 'array', maxItems: 2, items: { type: 'object', properties: { old_string: { type: 'string' } } } },
    mode: { enum: ['a', 'b'] },
    version: { const: 2 },
    timeout: { type: 'integer', minimum: 1, maximum: 10 },
    ratio: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
    target: { anyOf: [{ type: 'string' }, { type: 'object', required: ['id'] }] },
    flag: { type: ['boolean', 'null'] },
  },
  additionalProperties: false,
};

describe('validateArguments', () => {
  it.each<[string, unknown]>([
    ['the least', { file_path: '/a' }],
    [
      'everything',
      {
        file_path: '/a',
        edits: [{ old_string: 'x' }],
        mode: 'b',
        version: 2,
        timeout: 10,
        ratio: 0.5,
        target: { id: 1 },
        flag: null,
      },
    ],
    ['an alternative', { file_path: '/a', target: 'x', flag: false }],
  ])('takes %s', (_name, value) => {
    expect(problems(EDITS, value)).toEqual([]);
  });

  it.each<[unknown, string[]]>([
    [null, ['arguments: expected a table, found nothing']],
    [[], ['arguments: expected a table, found a list']],
    [{}, ['arguments: `file_path` is missing']],
    [{ file_path: 7 }, ['`file_path`: expected text, found `7`']],
    [{ file_path: 'a' }, ['`file_path`: `a` does not match `^/`']],
    [
      { file_path: '' },
      ['`file_path`: expected at least 1 characters, found 0', '`file_path`: `` does not match `^/`'],
    ],
    [{ file_path: '/a', other: 1 }, ['`other`: unknown argument']],
    [{ file_path: '/a', edits: [{ old_string: 1 }] }, ['`edits.0.old_string`: expected text, found `1`']],
    [
      { file_path: '/a', edits: [1, 2, 3] },
      [
        '`edits`: expected at most 2 items, found 3',
        '`edits.0`: expected a table, found `1`',
        '`edits.1`: expected a table, found `2`',
        '`edits.2`: expected a table, found `3`',
      ],
    ],
    [{ file_path: '/a', mode: 'c' }, ['`mode`: `c` is none of `a`, `b`']],
    [{ file_path: '/a', version: '2' }, ['`version`: expected `2`, found `2`']],
    [{ file_path: '/a', timeout: 1.5 }, ['`timeout`: expected a whole number, found `1.5`']],
    [{ file_path: '/a', timeout: 11 }, ['`timeout`: expected at most 10, found 11']],
    [{ file_path: '/a', timeout: 0 }, ['`timeout`: expected at least 1, found 0']],
    [{ file_path: '/a', ratio: 0 }, ['`ratio`: expected more than 0, found 0']],
    [{ file_path: '/a', ratio: 1 }, ['`ratio`: expected less than 1, found 1']],
    [{ file_path: '/a', ratio: NaN }, ['`ratio`: expected a number, found `NaN`']],
    [{ file_path: '/a', target: {} }, ['`target`: a table fits none of the 2 allowed forms']],
    [{ file_path: '/a', flag: 'yes' }, ['`flag`: expected `true` or `false` or nothing, found `yes`']],
  ])('refuses %j', (value, expected) => {
    expect(problems(EDITS, value)).toEqual(expected);
  });

  it('counts text in code points and finds patterns anywhere', () => {
    expect(problems({ type: 'string', maxLength: 1 }, '💥')).toEqual([]);
    expect(problems({ pattern: 'b+' }, 'abbc')).toEqual([]);
  });

  it('compares enum and const as JSON', () => {
    expect(problems({ const: { a: [1, { b: null }], c: 2 } }, { c: 2, a: [1, { b: null }] })).toEqual([]);
    expect(problems({ enum: [[1, 2]] }, [2, 1])).toHaveLength(1);
    expect(problems({ const: { a: 1 } }, { a: 1, b: 2 })).toHaveLength(1);
  });

  it('does not take inherited names for properties', () => {
    const schema: JsonSchema = { properties: { a: true }, additionalProperties: false, required: ['toString'] };
    expect(problems(schema, JSON.parse('{"__proto__":1,"constructor":2}'))).toEqual([
      'arguments: `toString` is missing',
      '`__proto__`: unknown argument',
      '`constructor`: unknown argument',
    ]);
  });

  it('refuses what it cannot check', () => {
    expect(problems({ $ref: '#/x' } as JsonSchema, {})).toEqual([
      'arguments: cannot be checked: schema `$ref`: `$ref` is not supported in schemas',
    ]);
    expect(problems({ pattern: '(?=a)' }, 'a')).toEqual([
      'arguments: cannot be checked: schema `pattern`: expected a regular expression that RE2 can read',
    ]);
    expect(problems(false, 1)).toEqual(['arguments: no value is allowed here']);
    expect(problems({ type: 'text' } as unknown as JsonSchema, 'a')).toHaveLength(1);
  });

  it('refuses what is too deep or takes too long', () => {
    let value: unknown = 1;
    for (let i = 0; i < 100; i += 1) value = [value];
    const nested: { items?: JsonSchema } = {};
    nested.items = nested as JsonSchema;
    expect(problems(nested as JsonSchema, value)).toHaveLength(1);
    let wide: JsonSchema = { type: 'object' };
    for (let i = 0; i < 20; i += 1) wide = { anyOf: [wide, wide, wide] };
    expect(problems(wide, 1)).toHaveLength(1);
    const items = new Array<number>(60_000).fill(1);
    expect(problems({ items: { type: 'number' } }, items).at(-1)).toMatch(/too large or too deep/);
  });

  it('is total, whatever the schema and the value', () => {
    fc.assert(
      fc.property(fc.anything(), fc.jsonValue(), (value, schema) => {
        expect(Array.isArray(validateArguments(schema as JsonSchema, value))).toBe(true);
        expect(Array.isArray(checkSchema(schema))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('never lets another bound loosen', () => {
    const word = fc.constantFrom<JsonSchema>(
      { type: 'string' },
      { minLength: 2 },
      { enum: ['a', 1] },
      { maximum: 3 },
      { required: ['a'] },
    );
    fc.assert(
      fc.property(word, word, fc.jsonValue(), (a, b, value) => {
        const both = { ...(a as object), ...(b as object) } as JsonSchema;
        if (validateArguments(both, value).length === 0) expect(validateArguments(b, value)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('checkSchema', () => {
  it('takes descriptions and every supported word', () => {
    expect(
      checkSchema({ ...(EDITS as object), $schema: 'x', title: 't', description: 'd', default: {}, format: 'uri' }),
    ).toEqual([]);
  });

  it.each<[unknown, string]>([
    ['text', ''],
    [{ type: 'text' }, 'type'],
    [{ properties: { a: { typ: 'string' } } }, 'properties.a.typ'],
    [{ items: [true] }, 'items'],
    [{ anyOf: [] }, 'anyOf'],
    [{ anyOf: [true, { pattern: '(' }] }, 'anyOf.1.pattern'],
    [{ minLength: -1 }, 'minLength'],
    [{ required: 'a' }, 'required'],
    [{ $ref: '#' }, '$ref'],
    [{ maximum: 'x' }, 'maximum'],
  ])('finds the flaw of %j', (schema, path) => {
    expect(checkSchema(schema).map((problem) => problem.path)).toEqual([path]);
  });

  it('gives up on endless schemas', () => {
    const loop: Record<string, unknown> = {};
    loop['items'] = loop;
    expect(checkSchema(loop)).toHaveLength(1);
  });
});
