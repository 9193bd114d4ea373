/** Arguments become canonical text and hash, or a recorded reason why not; display text hides nothing. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { argumentsAt } from './arguments.js';
import { canonicalJson, utf8Length } from './canonical-json.js';
import { escapeForDisplay, hasInvisible } from './display.js';
import { inspectJson } from './strict-json.js';
import { MAX_ARGUMENT_BYTES, type CallArguments } from './tool-call.js';

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

function read(argsText: string): CallArguments {
  const inspected = inspectJson(`{"args":${argsText}}`);
  if (!inspected.ok) throw new Error('does not parse');
  return argumentsAt(inspected, ['args'], sha256);
}

describe('argumentsAt', () => {
  it('gives canonical text and its hash', () => {
    const json = '{"__proto__":{"x":"\\u0000"},"a":"é","b":[1,0]}';
    expect(read('{"b":[1.0,-0],"a":"\\u00e9","__proto__":{"x":"\\u0000"}}')).toEqual({
      state: 'ok',
      json,
      hash: sha256(json),
    });
  });

  it.each([
    ['[1]', 'not_an_object'],
    ['null', 'not_an_object'],
    ['"x"', 'not_an_object'],
    ['{"a":1,"a":1}', 'duplicate_key'],
    ['{"a":90071992547409920}', 'unsafe_integer'],
    ['{"a":"\\udfff"}', 'lone_surrogate'],
    [`{"a":${'['.repeat(64)}${']'.repeat(64)}}`, 'too_deep'],
    [`{"a":${'['.repeat(9_000)}${']'.repeat(9_000)}}`, 'too_deep'],
    [`{"a":"${'x'.repeat(MAX_ARGUMENT_BYTES)}"}`, 'too_large'],
    [`{"a":"${'é'.repeat(MAX_ARGUMENT_BYTES / 2)}"}`, 'too_large'],
  ])('%#', (text, problem) => {
    const result = read(text);
    expect(result).toMatchObject({ state: 'invalid', problem, bytes: Buffer.byteLength(text), hash: sha256(text) });
  });

  it('takes what just fits', () => {
    expect(read(`{"a":${'['.repeat(63)}${']'.repeat(63)}}`).state).toBe('ok');
    expect(read(`{"a":"${'x'.repeat(MAX_ARGUMENT_BYTES - 8)}"}`).state).toBe('ok');
  });

  it('records absent arguments', () => {
    const inspected = inspectJson('{}');
    expect(inspected.ok && argumentsAt(inspected, ['args'], sha256)).toMatchObject({
      problem: 'not_an_object',
      bytes: 0,
    });
  });
});

describe('canonicalJson', () => {
  it('sorts by UTF-16 code units and throws on what JSON cannot hold', () => {
    expect(canonicalJson({ '\ufb33': 1, '\u{1f600}': 2, a: 1e21 })).toBe('{"a":1e+21,"\u{1f600}":2,"\ufb33":1}');
    expect(() => canonicalJson(undefined)).toThrow();
    expect(() => canonicalJson({ a: NaN })).toThrow();
  });

  it('measures bytes', () => {
    for (const text of ['', 'abc', 'é€', '\u{1f600}x', '\ud800'])
      expect(utf8Length(text)).toBe(Buffer.byteLength(text));
  });
});

describe('escapeForDisplay', () => {
  it.each([
    ['rm\u202e-fr', 'rm\\u{202e}-fr'],
    ['a\u200bb\ufeff', 'a\\u{200b}b\\u{feff}'],
    ['a\u001b[31m', 'a\\u{1b}[31m'],
    ['a\u00a0b', 'a\\u{a0}b'],
    ['\u{e0041}', '\\u{e0041}'],
    ['\u3164\ufe0f\ud800', '\\u{3164}\\u{fe0f}\\u{d800}'],
    ['plain é 日本 text', 'plain é 日本 text'],
    ['a\nb', 'a\\u{a}b'],
  ])('%j', (text, shown) => {
    expect(escapeForDisplay(text)).toBe(shown);
  });

  it('keeps lines when asked', () => {
    expect(escapeForDisplay('a\n\tb\r', { keepLines: true })).toBe('a\n\tb\\u{d}');
    expect(hasInvisible('a\nb')).toBe(false);
    expect(hasInvisible('a\u2066b')).toBe(true);
  });
});
