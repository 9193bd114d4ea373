/** Evidence about links, missing files, dangling links and loops of a real file system. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { resolveEvidence, gatherEvidence, resolvePath } from './index.js';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-evidence-')));
const at = (name: string): string => `${root}/${name}`;
mkdirSync(at('a/b'), { recursive: true });
writeFileSync(at('a/file'), '');
symlinkSync(at('a'), at('link'));
symlinkSync(at('a/b'), at('deep'));
symlinkSync(at('gone'), at('dangling'));
symlinkSync(at('loop'), at('loop'));
symlinkSync(at('second'), at('first'));
symlinkSync(at('first'), at('second'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const unresolvable = { real: null, exists: false, failed: true };

describe('resolvePath', () => {
  it.each([
    ['link/file', { real: at('a/file'), exists: true }],
    ['link/new/x', { real: at('a/new/x'), exists: false }],
    ['deep/../file', { real: at('a/file'), exists: true }],
    ['deep/../new', { real: at('a/new'), exists: false }],
    ['a/file/below', { real: at('a/file/below'), exists: false }],
    ['dangling', unresolvable],
    ['dangling/x', unresolvable],
    ['loop/x', unresolvable],
    ['first', unresolvable],
    ['first/x', unresolvable],
  ])('%s', async (name, evidence) => {
    expect(await resolvePath(at(name))).toEqual(evidence);
  });

  it.each(['relative/path', '/a\0b', ''])('refuses %j', async (name) => {
    expect(await resolvePath(name)).toEqual(unresolvable);
  });

  it('walks up a bounded number of missing parts', async () => {
    expect(await resolvePath(at('n/'.repeat(60)))).toMatchObject({
      exists: false,
      real: at('n/'.repeat(60)).slice(0, -1),
    });
    expect(await resolvePath(at('n/'.repeat(70)))).toEqual(unresolvable);
  });
});

describe('gatherEvidence', () => {
  it('resolves each path once, in any number', async () => {
    const paths = [...Array.from({ length: 300 }, (_, index) => at(`a/n${index}`)), at('link'), at('link')];
    const evidence = await gatherEvidence(paths);
    expect(Object.keys(evidence)).toHaveLength(301);
    expect(evidence[at('link')]).toEqual({ real: at('a'), exists: true });
  });

  it('needs nothing for no paths', async () => {
    expect(await gatherEvidence([])).toEqual({});
  });
});

describe('resolveEvidence', () => {
  it('leaves out what is over the limit of one call, and tells what is no path', async () => {
    const many = Array.from({ length: 500 }, (_, index) => at(`n${index}`));
    const evidence = await resolveEvidence(['relative', ...many]);
    expect(Object.keys(evidence)).toHaveLength(200);
    expect(evidence.relative).toEqual(unresolvable);
  });
});
