/** Evidence about links, missing files, dangling links and loops of a real file system. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { resolveEvidence } from './evidence.js';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-evidence-')));
const at = (name: string) => `${root}/${name}`;
mkdirSync(at('a/b'), { recursive: true });
writeFileSync(at('a/file'), '');
symlinkSync(at('a'), at('link'));
symlinkSync(at('a/b'), at('deep'));
symlinkSync(at('gone'), at('dangling'));
symlinkSync(at('loop'), at('loop'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('resolveEvidence', () => {
  it.each([
    ['link/file', { real: at('a/file'), exists: true }],
    ['link/new/x', { real: at('a/new/x'), exists: false }],
    ['deep/../new', { real: at('a/new'), exists: false }],
    ['a/file/below', { real: at('a/file/below'), exists: false }],
    ['dangling', { real: null, exists: false, failed: true }],
    ['loop/x', { real: null, exists: false, failed: true }],
  ])('%s', async (name, evidence) => {
    expect(await resolveEvidence([at(name)])).toEqual({ [at(name)]: evidence });
  });

  it('refuses what is not an absolute path, and leaves out what is over its limit', async () => {
    expect(await resolveEvidence(['relative'])).toEqual({ relative: { real: null, exists: false, failed: true } });
    expect(Object.keys(await resolveEvidence(Array.from({ length: 500 }, (_, n) => at(`n${n}`))))).toHaveLength(200);
  });
});
