import { describe, expect, it } from '@jest/globals';
import { compileContent, contentCovers, contentMatches } from './content-pattern.js';

describe('texts of rules', () => {
  it.each([
    ['rm *', 'rm -rf /', true],
    ['rm *', 'rm', false],
    ['rm *', 'echo rm x', false],
    ['*.env', 'a/prod.env', true],
    ['*.env', '.env.example', false],
    ['sudo', 'x sudo y', true],
    ['*sudo*', 'x sudo y', true],
    ['a*b', 'xa*by', true],
    ['a*b', 'axb', false],
    ['*', 'anything', true],
  ])('%s against %s: %s', (spec, field, expected) => {
    expect(contentMatches(compileContent(spec), field)).toBe(expected);
  });

  it('cover as a permission only what they spell out, or begin or end', () => {
    const covers = (spec: string, subject: string) => contentCovers(compileContent(spec), subject);
    expect([covers('make', 'make'), covers('make', 'make x'), covers('make *', 'make x')]).toEqual([true, false, true]);
  });
});
