/** Our canonical JSON is that of the reference implementation of RFC 8785, text by text. */
import { describe, expect, it } from '@jest/globals';
import reference from 'canonicalize';
import fc from 'fast-check';
import { canonicalJson } from './canonical-json.js';

// The package is CommonJS with ESM typings: its default export is the function itself.
const theirs = reference as unknown as (value: unknown) => string;

const KEYS = [
  '',
  '__proto__',
  'constructor',
  'toJSON',
  '10',
  '9',
  '01',
  'a',
  'A',
  'é',
  '😀',
  '\ud800',
  '\u2028',
  '"',
  '\\',
  '\n',
];

const keys = fc.oneof(fc.constantFrom(...KEYS), fc.string({ unit: 'binary' }));
const leaves = fc.oneof(
  fc.constantFrom(null, true, false, 0, -0, 1e21, 1e-7, 2 ** 53, 0.1, '\ud800x', 'x\udfff', '\u007f', '\u0000'),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('x'.repeat(600), `${'x'.repeat(600)}"`),
);
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaves,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.array(fc.tuple(keys, tie('value')), { maxLength: 30 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value;

describe('canonicalJson', () => {
  it('gives the text of the reference implementation', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(canonicalJson(value)).toBe(theirs(value));
      }),
      { numRuns: 300 },
    );
  });

  it('gives the same text for what was parsed from it', () => {
    fc.assert(
      fc.property(values, (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it('keeps `__proto__` as an ordinary key and leaves undefined out, as JSON does', () => {
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"x":2}}'))).toBe('{"__proto__":{"x":2},"b":1}');
    expect(canonicalJson({ b: undefined, a: [undefined, 1] })).toBe('{"a":[null,1]}');
    expect(canonicalJson(new Date(0))).toBe('"1970-01-01T00:00:00.000Z"');
  });

  it.each([undefined, Number.NaN, Number.POSITIVE_INFINITY, 1n, () => 1, Symbol('x')])('refuses %p', (value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
    expect(() => canonicalJson({ value: value ?? 1n })).toThrow(TypeError);
  });
});
