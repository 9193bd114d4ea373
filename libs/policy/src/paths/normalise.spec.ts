import { describe, expect, it } from '@jest/globals';
import { canonicalPath, hasShortName, isInside, joinGiven, normalise } from './normalise.js';

describe('paths', () => {
  it.each([
    ['/a/b/../c/./d//e/', '/a/c/d/e'],
    ['/..', '/'],
    ['/a/.hidden', '/a/.hidden'],
    ['/', '/'],
  ])('normalises %s', (path, out) => {
    expect(normalise(path)).toBe(out);
  });

  it.each([
    ['C:\\a\\..\\b', '/c/b'],
    ['c:/X', '/c/X'],
    ['\\\\?\\C:\\x', '/c/x'],
    ['\\\\srv\\share\\x', '/unc/srv/share/x'],
    ['\\\\?\\UNC\\srv\\share', '/unc/srv/share'],
    ['rel/x', null],
  ])('makes %s canonical', (path, out) => {
    expect(canonicalPath(path)).toBe(out);
  });

  it('joins without resolving, in the manner of the folder', () => {
    expect(joinGiven('/w', '../x')).toBe('/w/../x');
    expect(joinGiven('C:\\w', 'x')).toBe('C:\\w\\x');
    expect(joinGiven(null, 'x')).toBeNull();
    expect(joinGiven(null, '/x')).toBe('/x');
  });

  it('compares whole segments', () => {
    expect(isInside('/a/b', '/a')).toBe(true);
    expect(isInside('/ab', '/a')).toBe(false);
    expect(isInside('/x', '/')).toBe(true);
  });

  it('knows short names', () => {
    expect(hasShortName('C:\\PROGRA~1\\x')).toBe(true);
    expect(hasShortName('/work/HEAD~1')).toBe(false);
  });
});
