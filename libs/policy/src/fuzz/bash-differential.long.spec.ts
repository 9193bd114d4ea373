import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { compareRefusals, compareWords } from './bash-differential.fixture.js';
import { BASH_ENVIRONMENT, BASH_FILES, type Bash } from './real-bash.fixture.js';

const folder = mkdtempSync(join(tmpdir(), 'countersign-bash-'));
for (const name of BASH_FILES) writeFileSync(join(folder, name), '');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bash: Bash = (args, input) =>
  spawnSync('/bin/bash', args, {
    cwd: folder,
    env: BASH_ENVIRONMENT,
    input,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });

describe('the shell reader against the real bash, at length', () => {
  it('makes the same words of quoted text', () => {
    expect(compareWords(bash, 1_000, 40_000).differences).toEqual([]);
  }, 300_000);

  it('takes no script that bash refuses', () => {
    expect(compareRefusals(bash, 1_000, 6_000).missed).toEqual([]);
  }, 300_000);
});
