/** Codex rules: what maps, what is reported, and that nothing is guessed. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { importCodexRules } from './codex-rules.js';
import type { ImportResult } from './import-report.js';
import { splitWords } from './shell-words.js';
import { readStarlark } from './starlark.js';

function run(text: string): ImportResult {
  return importCodexRules([{ fileName: 'd.rules', text, source: 'user' }]);
}

function rulesOf(text: string): string[] {
  const { policy } = run(text);
  return (['deny', 'ask', 'allow'] as const).flatMap((list) =>
    (policy[list] ?? []).map((rule) => `${list} ${typeof rule === 'string' ? rule : rule.rule}`),
  );
}

describe('prefix rules', () => {
  const rows: [string, string, string[]][] = [
    [
      'alternatives',
      'prefix_rule(pattern=["git", ["push", "fetch"]], decision="prompt")',
      ['ask Bash(git push *)', 'ask Bash(git fetch *)'],
    ],
    ['allow is the default', 'prefix_rule(pattern=["ls"])', ['allow Bash(ls *)']],
    ['decision None', 'prefix_rule(pattern=["ls"], decision=None)', ['allow Bash(ls *)']],
    ['forbidden', "prefix_rule(pattern = ['rm', '-rf'], decision = 'forbidden',)", ['deny Bash(rm -rf *)']],
    [
      'over many lines, with comments',
      'prefix_rule(\n  # why\n  pattern = ["a",\n    "b"], # x\n)\n',
      ['allow Bash(a b *)'],
    ],
    ['a star is literal', 'prefix_rule(pattern=["ls", "*.c"])', ['allow Bash(ls \\*.c *)']],
    ['raw strings', 'prefix_rule(pattern=["a", r"\\d"])', ['allow Bash(a \\\\d *)']],
    ['triple quotes', 'prefix_rule(pattern=["""a"""])', ['allow Bash(a *)']],
    ['a blank in a word drops an allow', 'prefix_rule(pattern=["a", "b c"])', []],
    [
      'a blank in a word widens a deny',
      'prefix_rule(pattern=["a", "b c"], decision="forbidden")',
      ['deny Bash(a b c *)'],
    ],
    [
      'a quote in a word widens a deny',
      'prefix_rule(pattern=["a", "it\'s"], decision="forbidden")',
      ['deny Bash(a it*s *)'],
    ],
    ['an empty word alone', 'prefix_rule(pattern=[""], decision="forbidden")', ['deny Bash']],
    ['too many alternatives drop an allow', `prefix_rule(pattern=["x", ${'["a","b","c","d"],'.repeat(5)}])`, []],
    [
      'too many alternatives widen a deny',
      `prefix_rule(pattern=["x", ${'["a","b","c","d"],'.repeat(5)}], decision="forbidden")`,
      ['deny Bash(x *)'],
    ],
    [
      'good examples',
      'prefix_rule(pattern=["git", "push"], match=["git push origin", ["git", "push"]], not_match=["git status"])',
      ['allow Bash(git push *)'],
    ],
    ['bad examples drop an allow', 'prefix_rule(pattern=["git"], not_match=["git status"])', []],
    [
      'bad examples keep a deny',
      'prefix_rule(pattern=["git"], decision="forbidden", match=["ls"])',
      ['deny Bash(git *)'],
    ],
    ['unknown decision', 'prefix_rule(pattern=["git"], decision="maybe")', ['ask Bash']],
    ['prototype as a decision', 'prefix_rule(pattern=["git"], decision="constructor")', ['ask Bash']],
    ['unknown argument', 'prefix_rule(pattern=["git"], unless=["x"])', ['ask Bash']],
    ['pattern by name', 'P = ["git"]\nprefix_rule(pattern=P, decision="forbidden")', ['ask Bash']],
    ['allow by name', 'P = ["git"]\nprefix_rule(pattern=P)', []],
    ['positional', 'prefix_rule(["git"])', ['ask Bash']],
    ['joined lists', 'prefix_rule(pattern=["git"] + ["push"])', ['ask Bash']],
    ['joined strings', 'prefix_rule(pattern=["git" "push"])', ['ask Bash']],
    ['conditional', 'prefix_rule(pattern=["git"]) if True else None', ['ask Bash']],
    [
      'a loop',
      'for p in ["a"]:\n  prefix_rule(pattern=[p], decision="forbidden")\nprefix_rule(pattern=["ls"])',
      ['ask Bash', 'allow Bash(ls *)'],
    ],
    ['a function', 'def f():\n  pass\nf()\n', ['ask Bash']],
    ['load', 'load("x", "y")', ['ask Bash']],
    ['open string', 'prefix_rule(pattern=["git)', ['ask Bash']],
    ['open list', 'prefix_rule(pattern=["git"', ['ask Bash']],
    [
      'open call swallows nothing',
      'prefix_rule(pattern=["a"],\nprefix_rule(pattern=["b"])',
      ['ask Bash', 'allow Bash(b *)'],
    ],
    ['unknown escape', 'prefix_rule(pattern=["\\x41"])', ['ask Bash']],
    ['doc string', '"about"\nprefix_rule(pattern=["a"])', ['allow Bash(a *)']],
    ['empty', '# nothing\n', []],
    ['host_executable', 'host_executable(name="git", paths=["/usr/bin/git"])', []],
    [
      'network deny',
      'network_rule(host="x.io", protocol="https", decision="deny")',
      ['deny WebFetch(domain:x.io)', 'ask Bash'],
    ],
    ['network allow', 'network_rule(host="x.io", protocol="https", decision="allow")', []],
  ];
  it.each(rows)('%s', (_name, text, expected) => {
    expect(rulesOf(text)).toEqual(expected);
  });
  it('keeps reason, origin and source', () => {
    expect(run('\nprefix_rule(pattern=["a"], decision="forbidden", justification="use b")').policy.deny).toEqual([
      { rule: 'Bash(a *)', source: 'user', origin: 'd.rules:2:1', reason: 'use b' },
    ]);
  });
  it('reports every statement once at least', () => {
    const { report } = run(
      'x = 1 + 1\nprefix_rule(pattern=["a"])\nhost_executable(name="a", paths=[])\nprefix_rule(pattern=[])',
    );
    expect(report.mapped).toEqual([{ where: 'd.rules:2:1', what: 'prefix_rule `a`', as: ['allow Bash(a *)'] }]);
    expect(report.notMapped.map((item) => item.where)).toEqual(['d.rules:1:1', 'd.rules:3:1', 'd.rules:4:1']);
  });
});

describe('hostile texts', () => {
  it('never throw', () => {
    const pieces = fc.constantFrom(
      'prefix_rule',
      'pattern',
      '(',
      ')',
      '[',
      ']',
      '=',
      ',',
      '"',
      "'",
      '"""',
      '\\',
      '\n',
      '#',
      'r',
      'a',
      ' ',
      'decision',
      '"forbidden"',
      '\u0000',
    );
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => run(text).report.mapped.length >= 0),
      { numRuns: 1_000 },
    );
  });
  it('end soon', () => {
    for (const text of [
      '['.repeat(300_000),
      `prefix_rule(pattern=${'['.repeat(100_000)}`,
      'a\n'.repeat(200_000),
      '"'.repeat(300_001),
      '#'.repeat(900_000),
    ]) {
      expect(readStarlark(text).length).toBeGreaterThanOrEqual(0);
    }
    expect(rulesOf('x'.repeat(2_000_000))).toEqual(['ask *']);
  }, 10_000);
});

describe('splitWords', () => {
  it('undoes quotes as a shell does', () => {
    expect(splitWords(`a  'b c' "d \\" e"f \\ g`)).toEqual(['a', 'b c', 'd " ef', ' g']);
    expect(splitWords(`''`)).toEqual(['']);
    expect(splitWords('')).toEqual([]);
    expect(splitWords('"a')).toBeUndefined();
  });
});
