import { describe, expect, it } from '@jest/globals';
import { callHashOf, placeText } from './call-place.js';

const bare = { cwd: null, resolvedPaths: {} };
const paths = { '/work/a': { real: '/work/a', exists: true } };

describe('the place of a call', () => {
  it('is none where the call came with none', () => {
    expect(placeText(bare)).toBeNull();
  });
  it.each([
    ['folder', { ...bare, cwd: '/work' }, { ...bare, cwd: '/work/other' }],
    ['MCP server', { ...bare, mcpServer: 'db' }, { ...bare, mcpServer: 'db2' }],
    [
      'evidence',
      { ...bare, resolvedPaths: paths },
      { ...bare, resolvedPaths: { '/work/a': { real: '/etc/a', exists: true } } },
    ],
    ['kind of thing it names', { ...bare, cwd: 'db' }, { ...bare, mcpServer: 'db' }],
  ])('differs by the %s', (_what, one, other) => {
    expect(placeText(one)).not.toBe(placeText(other));
    expect(placeText(one)).not.toBeNull();
  });
  it('is the same in whatever order the evidence came', () => {
    const other = { '/work/b': { real: null, exists: false } };
    const text = placeText({ ...bare, resolvedPaths: { ...paths, ...other } });
    expect(placeText({ ...bare, resolvedPaths: { ...other, ...paths } })).toBe(text);
  });
  it('is a part of what tells calls apart', () => {
    const args = { state: 'ok', json: '{}', hash: 'h' } as const;
    expect(callHashOf({ args })).toBe('h');
    expect(callHashOf({ args, placeHash: 'p' })).toBe('h.p');
  });
});
