/** The scan finds exactly what JSON.parse swallows, at the right place, and agrees with it on everything else. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { inspectJson, problemOutside, problemWithin, rawTextAt, readStrictJson, valueAt } from './strict-json.js';
import type { InspectedJson } from './strict-json.js';

function inspected(text: string): InspectedJson {
  const result = inspectJson(text);
  if (!result.ok) throw new Error('does not parse');
  return result;
}

describe('inspectJson', () => {
  it.each([
    ['{"a":1,"a":2}', 'duplicate_key', ['a']],
    ['{"a":{"b":1,"\\u0062":2}}', 'duplicate_key', ['a', 'b']],
    ['[0,{"x":[],"y":1,"x":{}}]', 'duplicate_key', [1, 'x']],
    ['{"__proto__":1,"__proto__":2}', 'duplicate_key', ['__proto__']],
    ['{"n":9007199254740993}', 'unsafe_integer', ['n']],
    ['{"n":9007199254740992}', 'unsafe_integer', ['n']],
    ['[1,-9007199254740993]', 'unsafe_integer', [1]],
    ['[1e400]', 'unsafe_integer', [0]],
    ['9e15', null, []],
    ['1e16', 'unsafe_integer', []],
    ['{"s":"\\ud800"}', 'lone_surrogate', ['s']],
    ['{"s":"\\udc00\\ud800"}', 'lone_surrogate', ['s']],
    ['{"\\ud800":1}', 'lone_surrogate', ['\ud800']],
    ['{"s":"\ud800"}', 'lone_surrogate', ['s']],
    ['{"s":"\\ud83d\\ude00 \\u0000 \\\\ud800"}', null, []],
    ['{"a":{"b":1},"c":{"b":1}}', null, []],
    ['{"a":"{\\"a\\":1,\\"a\\":2}"}', null, []],
    ['{"n":9007199254740991,"m":0.1234567890123456789,"z":-0.0}', null, []],
  ])('%s: %s', (text, problem, path) => {
    const problems = inspected(text).problems;
    expect(problems).toEqual(problem ? [{ problem, path }] : []);
  });

  it('says malformed of what does not parse', () => {
    for (const text of ['', '{', '{"a":1,}', "{'a':1}", 'NaN', '01', '"\n"', '\ufeff{}']) {
      expect(inspectJson(text)).toEqual({ ok: false, problem: 'malformed' });
    }
  });

  it('keeps `__proto__` and `constructor` as data', () => {
    const { value } = inspected('{"__proto__":{"x":1},"constructor":2}');
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
    expect(valueAt(value, ['__proto__', 'x'])).toBe(1);
    expect(valueAt(value, ['toString'])).toBeUndefined();
  });

  it('neither recurses nor goes on below the depth limit', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    expect(inspected(deep).problems).toMatchObject([{ problem: 'too_deep' }]);
    const result = inspectJson('[[["]]]\\""],{"a":[[]]}],9007199254740993]', { maxDepth: 2 });
    expect(result.ok && result.problems.map((item) => [item.problem, item.path.join()])).toEqual([
      ['too_deep', '0,0'],
      ['too_deep', '0,1'],
      ['unsafe_integer', '1'],
    ]);
  });

  it('stands for unlisted problems with one at the root', () => {
    const many = inspected(`{"bad":[${'1e400,'.repeat(5_000)}0],"args":{"n":9007199254740993}}`);
    expect(many.problems.length).toBeLessThan(300);
    expect(problemWithin(many, ['args'])).not.toBeNull();
  });

  it('stays linear on strings full of escapes', () => {
    const text = `["${'\\n'.repeat(2_000_000)}"]`;
    const startedAt = performance.now();
    expect(inspected(text).problems).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });

  it('is silent on whatever JSON.stringify writes, whatever the white space', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), fc.nat(3), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(inspected(text).problems.filter((item) => item.problem !== 'unsafe_integer')).toEqual([]);
      }),
    );
  });

  it('finds a duplicated key wherever it stands', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.string({ unit: 'grapheme' }), (one, two, key) => {
        const name = JSON.stringify(key);
        const text = `[${JSON.stringify(one)},{${name}:${JSON.stringify(two)},"other${key.length}":0,${name}:1}]`;
        expect(inspected(text).problems).toContainEqual({ problem: 'duplicate_key', path: [1, key] });
      }),
    );
  });
});

describe('scopes', () => {
  const batch = inspected('{"calls":[{"args":{"a":1,"a":2}},{"args":{"b":1}}],"n":1e99}');

  it('tells one bad subtree from its neighbours', () => {
    expect(problemWithin(batch, ['calls', 0, 'args'])?.problem).toBe('duplicate_key');
    expect(problemWithin(batch, ['calls', 1, 'args'])).toBeNull();
  });

  it('counts a duplicate of the subtree itself as its own', () => {
    expect(problemWithin(inspected('{"args":{},"args":{"x":1}}'), ['args'])?.problem).toBe('duplicate_key');
  });

  it('finds what lies outside', () => {
    expect(problemOutside(batch, [['calls', 0, 'args']])?.path).toEqual(['n']);
    expect(problemOutside(batch, [['calls', 0, 'args'], ['n']])).toBeNull();
  });

  it('reads the raw text of a subtree', () => {
    const body = inspected('{ "x": [1, {"args" : { "a": "}\\"", "b" :[] } , "z":-1.5e3}], "args": 7 , "s":"t" }');
    expect(rawTextAt(body, ['x', 1, 'args'])).toBe('{ "a": "}\\"", "b" :[] }');
    expect(rawTextAt(body, ['x', 1, 'z'])).toBe('-1.5e3');
    expect(rawTextAt(body, ['args'])).toBe('7');
    expect(rawTextAt(body, ['s'])).toBe('"t"');
    expect(rawTextAt(body, ['none'])).toBeNull();
    expect(rawTextAt(body, [])).toBe(body.text);
    expect(rawTextAt(inspected('{"a":1,"a":[2]}'), ['a'])).toBe('[2]');
  });

  it('reads strictly', () => {
    expect(readStrictJson('{"a":[1]}')).toEqual({ ok: true, value: { a: [1] } });
    expect(readStrictJson('{"a":[1e99]}')).toEqual({ ok: false, problem: 'unsafe_integer', at: ['a', 0] });
    expect(readStrictJson('{')).toEqual({ ok: false, problem: 'malformed', at: [] });
  });
});
