import { describe, expect, it } from '@jest/globals';
import { escapeForDisplay, hasInvisible, showPlainly } from './display.js';

describe('showPlainly', () => {
  it.each([
    ['a Cyrillic letter in a Latin word', 'r\u043c -rf build', 'r\\u{43c} -rf build'],
    ['a whole word of twins in Latin text', 'git \u0441\u043e\u0440\u0443 x', 'git \\u{441}\\u{43e}\\u{440}\\u{443} x'],
    ['a Greek letter in a host name', 'https://g\u03bfogle.example', 'https://g\\u{3bf}ogle.example'],
    ['wide forms', '\uff52\uff4d -rf', '\\u{ff52}\\u{ff4d} -rf'],
    ['bold letters', '\u{1d42b}m', '\\u{1d42b}m'],
    ['a slash that is none', 'example.org\u2215admin', 'example.org\\u{2215}admin'],
    ['a dash that is none', 'rm \u2013rf', 'rm \\u{2013}rf'],
    ['curly quotes', '\u2018x\u2019', '\\u{2018}x\\u{2019}'],
    ['reordering and invisible characters', 'a\u202eb\u200bc', 'a\\u{202e}b\\u{200b}c'],
    ['terminal escapes', '\u001b[2K', '\\u{1b}[2K'],
  ])('shows %s', (_what, text, shown) => {
    expect(showPlainly(text)).toBe(shown);
  });

  it.each([
    ['plain commands', 'git commit -m "fix: caf\u00e9" && npm test'],
    ['Russian', '\u0433\u0438\u0442 \u0441\u043e\u0445\u0440\u0430\u043d\u0438\u0442\u044c \u0440\u043e\u0441\u0442'],
    ['Greek', '\u03b1\u03bb\u03bb\u03b1\u03b3\u03ae'],
    ['Chinese and Japanese', '\u63d0\u4ea4 \u30b3\u30df\u30c3\u30c8'],
    ['emoji', 'ship it \u{1f680}'],
  ])('leaves %s as it is', (_what, text) => {
    expect(showPlainly(text)).toBe(text);
  });

  it('keeps lines only when asked to', () => {
    expect(showPlainly('a\nb')).toBe('a\\u{a}b');
    expect(showPlainly('a\nb', { keepLines: true })).toBe('a\nb');
  });

  it('shows at least what escapeForDisplay shows', () => {
    for (let code = 0; code < 0x3000; code += 1) {
      const text = `x${String.fromCodePoint(code)}y`;
      if (escapeForDisplay(text) !== text) expect(showPlainly(text)).toBe(escapeForDisplay(text));
    }
    expect(hasInvisible('a\u2013b')).toBe(false);
  });
});
