/** The programs that npm brought, with the links that npm leaves out. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { othersMayEnter, prepareBinaries } from './binaries.js';

const folder = mkdtempSync(join(tmpdir(), 'countersign-binaries-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('prepareBinaries', () => {
  it('puts back the links that npm left out, and copies nothing where the programs can be run in place', async () => {
    const { initdb } = await prepareBinaries(folder, false);
    const lib = join(dirname(dirname(initdb)), 'lib');
    const list = join(dirname(lib), 'pg-symlinks.json');
    const links = existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as { target: string }[]) : [];
    const names = links.map(({ target }) => basename(target));
    const [first] = names;
    if (first !== undefined) rmSync(join(lib, first));
    await prepareBinaries(folder, false);
    expect(readdirSync(lib)).toEqual(expect.arrayContaining(names));
    expect(spawnSync(initdb, ['--version']).status).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('othersMayEnter', () => {
  it('looks at every folder above', async () => {
    chmodSync(folder, 0o711);
    expect(await othersMayEnter(folder)).toBe(true);
    chmodSync(folder, 0o700);
    expect(await othersMayEnter(folder)).toBe(false);
  });
});
