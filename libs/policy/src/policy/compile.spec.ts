import { describe, expect, it } from '@jest/globals';
import { compilePolicy } from './compile.js';
import { toolKind } from './compiled-policy.js';
import { parsePolicyDocument } from './parse-document.js';
import { STANDARD_MODES } from './modes.js';
import { STANDARD_PRECEDENCE } from './precedence.js';

function compile(input: unknown) {
  const parsed = parsePolicyDocument(input);
  if (!parsed.ok) throw new Error('unreadable');
  return compilePolicy(parsed.document);
}

describe('documents', () => {
  it('fills in defaults and names what is wrong by its place', () => {
    expect(parsePolicyDocument({})).toMatchObject({
      ok: true,
      document: { preset: 'standard', maxCommandLength: 10_000 },
    });
    const wrong = parsePolicyDocument({ deny: ['a', { rule: 5 }], colour: 'red' });
    expect(wrong.ok ? [] : wrong.problems.map((problem) => problem.path)).toEqual(
      expect.arrayContaining(['deny.1', '']),
    );
    expect(parsePolicyDocument('text').ok).toBe(false);
  });
});

describe('compiling', () => {
  it('refuses a broken deny or ask, and ignores a broken allow with a warning', () => {
    expect(compile({ deny: ['Bash(('] })).toMatchObject({ ok: false, problems: [{ path: 'deny.0' }] });
    expect(compile({ ask: ['x y'] })).toMatchObject({ ok: false, problems: [{ path: 'ask.0' }] });
    expect(compile({ allow: ['Bash((', 'mcp__*', '*', 'Bash(ls)'] })).toMatchObject({
      ok: true,
      policy: { warnings: [{ path: 'allow.0' }, { path: 'allow.1' }, { path: 'allow.2' }] },
    });
  });

  it('notes rules that are written in a form of old', () => {
    const notes = (input: unknown): unknown => {
      const result = compile(input);
      return result.ok && result.policy.notes;
    };
    const message = 'the tail `:*` is out of use: write `Bash(rm *)`, which means the same';
    expect(notes({ deny: ['Bash(rm:*)'], allow: ['Bash(ls *)'] })).toEqual([{ path: 'deny.0', message }]);
    expect(notes({ preset: 'coding-agent', deny: ['Bash(rm:*)'] })).toEqual([]);
  });

  it('refuses a preset that it does not have', () => {
    const document = parsePolicyDocument({});
    if (!document.ok) throw new Error('unreadable');
    expect(compilePolicy({ ...document.document, preset: 'nonsense' as 'standard' })).toMatchObject({
      ok: false,
      problems: [{ path: 'preset' }],
    });
  });

  it('knows the kinds of tools', () => {
    const result = compile({});
    expect(result.ok && ['Bash', 'Read', 'Write', 'WebFetch', 'Agent', 'mcp__a__b', 'Nobody'].map((tool) => toolKind(tool, result.policy))).toEqual([
      'command', 'read', 'write', 'network', 'agent', 'other', 'other',
    ]); // prettier-ignore
  });
});

describe('examples in rules', () => {
  it.each([
    {
      rule: 'Bash(git push *)',
      match: ['git push', 'cd x && git -C y push -f'],
      notMatch: ['git pull', 'echo git push'],
    },
    { rule: 'Read(.env)', match: ['.env', 'a/.env'], notMatch: ['.env.example'] },
    { rule: 'WebFetch(domain:*.x.y)', match: ['a.x.y', 'https://b.x.y/z'], notMatch: ['x.y'] },
    { rule: 'Agent(Explore)', match: ['Explore'], notMatch: ['Builder'] },
    { rule: 'mcp__srv', match: ['mcp__srv__a'], notMatch: ['mcp__other__a'] },
  ])('hold for %j', (rule) => {
    expect(compile({ deny: [rule] })).toMatchObject({ ok: true });
    expect(compile({ ask: [rule] })).toMatchObject({ ok: true });
  });

  it('are checked for allows, which are stricter', () => {
    const rule = {
      rule: 'Bash(npm test *)',
      match: ['npm test', 'NODE_ENV=x npm test a'],
      notMatch: ['FOO=1 npm test', 'env npm testing'],
    };
    expect(compile({ allow: [rule] })).toMatchObject({ ok: true });
  });

  it('are problems when they come out wrong', () => {
    const result = compile({ allow: [{ rule: 'Bash(git *)', match: ['ls'], notMatch: ['git push'] }] });
    expect(result).toMatchObject({
      ok: false,
      problems: [
        { path: 'allow.0', message: 'rule `Bash(git *)` does not match its example `ls`' },
        { path: 'allow.0', message: 'rule `Bash(git *)` matches `git push`, which it must not' },
      ],
    });
  });
});

describe('the tables of standard', () => {
  it('put every deny above every ask, and every ask above every allow', () => {
    const order = { deny: 0, ask: 1, allow: 2 };
    const effects = STANDARD_PRECEDENCE.map((row) => order[row.effect]);
    expect(effects).toEqual([...effects].sort());
  });

  it('know every mode, and none of them allows network or other tools but bypass', () => {
    for (const [mode, entry] of Object.entries(STANDARD_MODES)) {
      expect([entry.cells.network, entry.cells.other].includes('allow')).toBe(mode === 'bypassPermissions');
    }
  });
});
