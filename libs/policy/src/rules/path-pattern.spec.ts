import { describe, expect, it } from '@jest/globals';
import { compilePathPattern, pathMatches, pathMayMeet, type PathBases, type PathStance } from './path-pattern.js';

const BASES: PathBases = {
  home: '/home/dev',
  root: '/work/app',
  relative: '/work/app',
  loose: ['/work/app', '/work/app/sub'],
};

function matches(text: string, path: string, stance: PathStance = 'strict', bases: PathBases = BASES): boolean {
  const pattern = compilePathPattern(text);
  return pattern !== null && pathMatches(pattern, path, bases, stance);
}

describe('path patterns', () => {
  it.each([
    ['//etc/hosts', '/etc/hosts'],
    ['//etc', '/etc/ssl/x'],
    ['~/.ssh/**', '/home/dev/.ssh/id'],
    ['/docs/**', '/work/app/docs/a/b'],
    ['./src/*.ts', '/work/app/src/a.ts'],
    ['src/**', '/work/app/src/a'],
    ['.env', '/work/app/nested/.env'],
    ['**/.env', '/work/app/.env'],
    ['docs/*', '/work/app/docs/a/b'],
    ['a/../.env', '/work/app/.env'],
    ['../shared/**', '/work/shared/x'],
    ['a[b]/**', '/work/app/ab/x'],
    ['**', '/work/app/any/thing'],
    ['C:\\x\\**', '/c/x/y'],
    ['src/**/test/*.ts', '/work/app/src/a/b/test/c.ts'],
  ])('%s covers %s', (text, path) => {
    expect(matches(text, path)).toBe(true);
  });

  it.each([
    ['.env', '/work/app/.env.local'],
    ['.env', '/etc/.env'],
    ['/tmp/x/**', '/tmp/x/a'],
    ['src/**', '/work/app/lib/src/a'],
    ['src/**', '/work/app/SRC/a'],
    ['a[b]/**', '/work/app/a[b]/x'],
    ['~/.ssh/**', '/home/other/.ssh/id'],
    ['./x', '/work/app/sub/x'],
  ])('%s as an allow does not cover %s', (text, path) => {
    expect(matches(text, path)).toBe(false);
  });

  it('matches more when it denies: any case, any depth of `dir/**`, any base', () => {
    expect(matches('src/**', '/work/app/SRC/a', 'loose')).toBe(true);
    expect(matches('secrets/**', '/work/app/x/secrets/a', 'loose')).toBe(true);
    expect(matches('./x', '/work/app/sub/x', 'loose')).toBe(true);
  });

  it('takes anybody’s home for `~` when home is unknown, but only to deny', () => {
    const bases = { ...BASES, home: null };
    expect(matches('~/.ssh/**', '/home/any/.ssh/id', 'loose', bases)).toBe(true);
    expect(matches('~/.ssh/**', '/root/.ssh/id', 'loose', bases)).toBe(true);
    expect(matches('~/.ssh/**', '/home/any/.ssh/id', 'strict', bases)).toBe(false);
  });

  it('knows what a wildcard or a whole folder may reach', () => {
    const reach = (text: string, path: string, recursive = false): boolean => {
      const pattern = compilePathPattern(text);
      return pattern !== null && pathMayMeet(pattern, { path, recursive }, BASES);
    };
    expect(reach('.env', '/work/app/.e*')).toBe(true);
    expect(reach('.env', '/work/app/*')).toBe(false);
    expect(reach('~/.ssh/**', '/work/app/*')).toBe(false);
    expect(reach('.env', '/work/app', true)).toBe(true);
    expect(reach('~/.ssh/**', '/home', true)).toBe(true);
    expect(reach('//etc/hosts', '/etc/host[s]')).toBe(true);
  });

  it('is quick with many `**`', () => {
    expect(matches(`${'**/a/'.repeat(60)}b`, `/work/app/${'a/'.repeat(500)}c`)).toBe(false);
  });
});
