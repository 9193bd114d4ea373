import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { compareRefusals, compareWords, literalWords } from './bash-differential.fixture.js';
import { BASH_ENVIRONMENT, BASH_FILES, bashWords, type Bash } from './real-bash.fixture.js';

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

describe('the shell reader against the real bash', () => {
  it('asks an oracle that answers', () => {
    expect(bashWords(bash, ['p a\\ b \'c d\' "e"f', 'p "', 'p *', "p ''"])).toEqual([
      ['a b', 'c d', 'ef'],
      [],
      ['B7', 'a', 'x'],
      [''],
    ]);
  });

  it('makes the same words of quoted text', () => {
    const report = compareWords(bash, 1, 2_000);
    expect(report.differences).toEqual([]);
    expect(report.literal).toBeGreaterThan(report.lines / 2);
  }, 60_000);

  // bash joins the lines first and so reads `$HOME`.
  it.each(['p $\\\nHOME', 'p "$\\\nHOME"', 'p $\\\n{HOME}'])('calls %j no literal', (line) => {
    expect(literalWords(line)).toBeNull();
  });

  it('takes no script that bash refuses', () => {
    const report = compareRefusals(bash, 1, 150);
    expect(report.missed).toEqual([]);
    expect(report.refused).toBeGreaterThan(30);
  }, 60_000);
});
