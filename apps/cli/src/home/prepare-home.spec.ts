/** Making the home folder: step by step, and with one line where it cannot be made. */
import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareHome } from './prepare-home.js';

const base = mkdtempSync(join(tmpdir(), 'countersign-home-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe('prepareHome', () => {
  it('makes the folder and those above it, also when it is there already', async () => {
    const home = join(base, 'a/b/c');
    await prepareHome(home);
    await prepareHome(home);
    expect(statSync(home).mode & 0o066).toBe(0);
  });

  it('says in one line that a file is in the way', async () => {
    writeFileSync(join(base, 'file'), '');
    for (const home of ['file', 'file/below', 'file/far/below']) {
      await expect(prepareHome(join(base, home))).rejects.toThrow(/^the home folder [^\n]+ cannot be written: [^\n]+$/);
    }
  });

  const onLinux = process.platform === 'linux' ? it : it.skip;
  onLinux('does not try for ever below a file system that makes no folders', async () => {
    await expect(prepareHome('/proc/no/such')).rejects.toThrow('cannot be written');
  });
});
