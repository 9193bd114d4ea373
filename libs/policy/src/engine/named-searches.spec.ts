/** A search of everything runs unasked; one for the files that hold secrets does not. */
import { describe, expect, it } from '@jest/globals';
import { bash, callOf, judge } from './judge.fixture.js';

describe('searches that say which files they mean', () => {
  // prettier-ignore
  it.each([
    'grep -r x --include=.env .', "grep -r x --include '*.pem' .", "rg --hidden -g '.env*' x", 'rg --iglob=.ENV x', 'ag -G .env x',
    'tar tf a -T .env', 'diff --from-file=.env b', 'sort --random-source=.env -R f',
    'git log -L1,5:.env', 'git whatchanged -p .env', 'git diff-tree -p HEAD .env', 'git stash show -p -- .env',
  ])('%s asks', (command) => {
    expect(judge(bash(command)).effect).toBe('ask');
  });

  it.each([
    'grep -rn x --include=*.ts .',
    "rg -g 'src/**' x",
    "rg -g '!.env' x",
    "rg -g '*.{ts,tsx}' x",
    "rg -g '*config*' x",
  ])('%s runs', (command) => {
    expect(judge(bash(command)).effect).toBe('allow');
  });

  it.each([
    ['.env', 'ask'],
    ['**/.env', 'ask'],
    ['/etc/**', 'ask'],
    ['*.ts', 'allow'],
    ['src/**/*.{ts,tsx}', 'allow'],
  ])('Grep with glob %s: %s', (glob, effect) => {
    expect(judge(callOf('Grep', { pattern: 'x', glob })).effect).toBe(effect);
  });
});
