import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { gatherEvidence } from './gather-evidence.js';
import { resolvePath } from './resolve-path.js';

let root = '';
beforeAll(async () => {
  root = await realpath(await mkdtemp(path.join(os.tmpdir(), 'evidence-')));
  await mkdir(path.join(root, 'inside/deep'), { recursive: true });
  await writeFile(path.join(root, 'inside/file.txt'), 'x');
  await symlink(path.join(root, 'inside'), path.join(root, 'link'));
  await symlink(path.join(root, 'nowhere'), path.join(root, 'dangling'));
  await symlink(path.join(root, 'loop-b'), path.join(root, 'loop-a'));
  await symlink(path.join(root, 'loop-a'), path.join(root, 'loop-b'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const at = (name: string): string => path.join(root, name);

describe('resolvePath', () => {
  it('gives the target of a link', async () => {
    expect(await resolvePath(at('link/file.txt'))).toEqual({ real: at('inside/file.txt'), exists: true });
  });

  it('joins the missing tail to the nearest existing ancestor', async () => {
    expect(await resolvePath(at('link/new/a.txt'))).toEqual({ real: at('inside/new/a.txt'), exists: false });
    expect(await resolvePath(at('inside/file.txt/below'))).toEqual({
      real: at('inside/file.txt/below'),
      exists: false,
    });
  });

  it('follows a link before the `..` behind it, as the system does', async () => {
    await symlink(at('inside/deep'), at('down'));
    expect(await resolvePath(`${root}/down/../file.txt`)).toEqual({ real: at('inside/file.txt'), exists: true });
    expect(await resolvePath(`${root}/down/../new.txt`)).toEqual({ real: at('inside/new.txt'), exists: false });
  });

  it.each(['dangling', 'dangling/x', 'loop-a', 'loop-a/x'])('cannot resolve %s', async (name) => {
    expect(await resolvePath(at(name))).toEqual({ real: null, exists: false, failed: true });
  });

  it.each(['relative/path', '/a\0b', ''])('refuses %j', async (name) => {
    expect((await resolvePath(name)).failed).toBe(true);
  });
});

describe('gatherEvidence', () => {
  it('resolves each path once, in any number', async () => {
    const paths = [...Array.from({ length: 100 }, (_, index) => at(`inside/n${index}`)), at('link'), at('link')];
    const evidence = await gatherEvidence(paths);
    expect(Object.keys(evidence)).toHaveLength(101);
    expect(evidence[at('link')]).toEqual({ real: at('inside'), exists: true });
  });

  it('needs nothing for no paths', async () => {
    expect(await gatherEvidence([])).toEqual({});
  });
});
