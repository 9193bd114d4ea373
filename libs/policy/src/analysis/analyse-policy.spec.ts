import { readFileSync } from 'node:fs';
import type { PolicyInput } from '@countersign/contracts';
import { describe, expect, it } from '@jest/globals';
import { compilePolicy } from '../policy/compile.js';
import { parsePolicyDocument } from '../policy/parse-document.js';
import { analysePolicy } from './analyse-policy.js';
import type { Finding } from './finding.js';
import { judgeSample, sceneOf, STRICTNESS, type PolicyContext } from './scene.js';
import { detectShadowedRules } from './shadowed-rules.js';

const CONTEXT: PolicyContext = { roots: ['/work/app'], cwd: '/work/app', home: '/home/dev' };

function documentOf(input: PolicyInput) {
  const parsed = parsePolicyDocument(input);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.document;
}

function findings(input: PolicyInput, context = CONTEXT): Finding[] {
  return analysePolicy(documentOf(input), context);
}

/** Findings as `kind place (by other)`, short enough to compare. */
function short(input: PolicyInput): string[] {
  return findings(input).map(
    (one) => `${one.kind} ${one.place}${one.otherRuleId === null ? '' : ` by ${one.otherRuleId}`}`,
  );
}

interface LintRow {
  readonly id: string;
  readonly lint?: string;
  readonly policy: PolicyInput;
  readonly roots: string[];
  readonly cwd: string;
  readonly home: string;
  readonly why: string;
}

const FILE = new URL('../../../../test/data/acceptance/reports-rules.jsonl', import.meta.url);
const rows = readFileSync(FILE, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as LintRow);

describe('warnings that the reports call for', () => {
  it('has all of them', () => {
    expect(rows.filter((row) => row.lint !== undefined)).toHaveLength(6);
  });

  it.each(rows.filter((row) => row.lint !== undefined).map((row) => [row.id, row] as const))('%s', (_id, row) => {
    const found = findings(row.policy, { roots: row.roots, cwd: row.cwd, home: row.home });
    expect(found.map((one) => one.kind)).toContain(row.lint);
  });
});

describe('idle rules', () => {
  it.each<[string, PolicyInput, string[]]>([
    [
      'a deny above an allow',
      { deny: ['Bash(git push *)'], allow: ['Bash(git push origin *)'] },
      ['shadowed allow.0 by deny:Bash(git push *)'],
    ],
    [
      'an ask above an allow',
      { ask: ['Bash(git *)'], allow: ['Bash(git push *)'] },
      ['shadowed allow.0 by ask:Bash(git *)'],
    ],
    [
      'a deny above an ask',
      { deny: ['Edit(secrets/**)'], ask: ['Edit(secrets/a.txt)'] },
      ['shadowed ask.0 by deny:Edit(secrets/**)'],
    ],
    ['a carve-out is no fault', { deny: ['Bash(git push *)'], allow: ['Bash(git *)'] }, []],
    ['a wider allow', { allow: ['Bash(git push *)', 'Bash(git *)'] }, ['redundant allow.0 by allow:Bash(git *)']],
    [
      'the same allow twice, once in the form of old',
      { allow: ['Bash(jest *)', 'Bash(jest:*)'] },
      ['out-of-use allow.1', 'redundant allow.1 by allow:Bash(jest *)'],
    ],
    [
      'expressions, of which no call stands for all',
      { allow: ['Bash(jest *)'], deny: ['Bash(re:jest [a-z0-9]+)'] },
      [],
    ],
    ['an expression that frees too much', { allow: ['Bash(re:.*)'] }, ['over-broad allow.0']],
    ['a wider deny', { deny: ['mcp__db__drop', 'mcp__db'] }, ['redundant deny.0 by deny:mcp__db']],
    ['a wider path', { allow: ['Edit(src/**)', 'Edit(src/a/**)'] }, ['redundant allow.1 by allow:Edit(src/**)']],
    [
      'a wider domain',
      { allow: ['WebFetch(domain:*.x.example)', 'WebFetch(domain:a.x.example)'] },
      ['redundant allow.1 by allow:WebFetch(domain:*.x.example)'],
    ],
    ['different depths', { allow: ['WebFetch(domain:a.example)', 'WebFetch(domain:*.a.example)'] }, []],
    ['a built-in deny', { allow: ['Bash(sudo *)'] }, ['shadowed allow.0 by command.privilege']],
    ['a built-in allow', { allow: ['Bash(git status)'] }, ['redundant allow.0 by command.read_only']],
    ['a secret', { allow: ['Read(.env)'] }, ['dead allow.0 by path.secret']],
    ['an ask that one mode does without', { ask: ['Bash(make *)'] }, []],
    ['a chain with a wildcard', { allow: ['Bash(jest * && jest *)'] }, ['never-matches allow.0']],
    ['reading commands, whose flags may write', { allow: ['Bash(git diff *)', 'Bash(find *)', 'Bash(ls *)'] }, []],
    ['a wrapper that waits for what it wraps', { allow: ['Bash(xargs *)'] }, []],
    ['a deny that is built in', { deny: ['Bash(sudo *)'] }, []],
    ['a harmless tool', { allow: ['TodoWrite'] }, ['redundant allow.0 by tool.harmless']],
    [
      'a folder that may hold what is denied',
      { deny: ['Read(.env)'], allow: ['Grep(docs/**)'] },
      ['shadowed allow.0 by deny:Read(.env)'],
    ],
    ['an environment prefix', { allow: ['Bash(NODE_ENV=test jest *)'] }, ['never-matches allow.0']],
    ['a single argument', { allow: ['Agent(model:small)'] }, ['never-matches allow.0']],
  ])('%s', (_name, input, expected) => {
    expect(short(input)).toEqual(expected);
  });

  it('says what it found, with a call and a fix', () => {
    const [found] = findings({
      deny: [{ rule: 'Bash(git push *)', id: 'no-push', source: 'managed' }],
      allow: ['Bash(git push origin *)'],
    });
    expect(found).toEqual({
      kind: 'shadowed',
      grade: 'confirmed',
      place: 'allow.0',
      ruleId: 'allow:Bash(git push origin *)',
      effect: 'allow',
      pattern: 'Bash(git push origin *)',
      source: 'user',
      otherRuleId: 'no-push',
      otherPattern: 'Bash(git push *)',
      witness: {
        tool: 'Bash',
        args: { command: 'git push origin sample1' },
        mode: 'default',
        effect: 'deny',
        decidedBy: 'no-push',
      },
      explanation: 'can never allow: all that it matches is denied by the deny rule `Bash(git push *)` (deny.0)',
      fix: 'remove `Bash(git push origin *)`, or narrow `Bash(git push *)` so that it leaves these calls out',
    });
  });

  it('gives the short list for whoever saves a policy', () => {
    expect(detectShadowedRules(documentOf({ deny: ['Bash'], allow: ['Bash(jest *)'] }), CONTEXT)).toEqual([
      {
        ruleId: 'allow:Bash(jest *)',
        pattern: 'Bash(jest *)',
        source: 'user',
        shadowedBy: 'deny:Bash',
        reason: 'can never allow: all that it matches is denied by the deny rule `Bash` (deny.0)',
        suggestedFix: 'remove `Bash(jest *)`, or narrow `Bash` so that it leaves these calls out',
      },
    ]);
  });
});

describe('rules that say something else than was meant', () => {
  it.each<[string, PolicyInput, string[]]>([
    ['any program', { allow: ['Bash(*)'] }, ['over-broad allow.0']],
    ['an interpreter', { allow: ['Bash(python3 *)'] }, ['over-broad allow.0']],
    ['a script of an interpreter', { allow: ['Bash(python3 manage.py *)'] }, []],
    ['a shell', { allow: ['Bash(ssh *)'] }, ['over-broad allow.0']],
    ['a whole server', { allow: ['mcp__github'] }, ['over-broad allow.0']],
    ['tools of a server', { allow: ['mcp__github__get_*'] }, []],
    ['any host', { allow: ['WebFetch'] }, ['over-broad allow.0']],
    ['any file', { allow: ['Edit(//**)'] }, ['over-broad allow.0']],
    ['everything denied', { deny: ['*'] }, ['over-broad deny.0']],
    ['one tool denied', { deny: ['Bash'] }, []],
    ['every tool allowed', { allow: ['*'] }, ['allow-spans-tools allow.0']],
    ['a misspelt tool', { deny: ['Bahs(rm *)'] }, ['unknown-tool deny.0']],
    ['a tool in lower case', { deny: ['bash(rm *)'] }, ['unknown-tool deny.0']],
    ['single underscores', { deny: ['mcp_db_drop'] }, ['unknown-tool deny.0']],
    ['a regular expression', { deny: ['Bash(^git push.*$)'] }, ['wrong-syntax deny.0']],
    ['an alternative', { allow: ['Bash(npm run (build|test))'] }, ['wrong-syntax allow.0']],
    ['an address', { allow: ['WebFetch(https://docs.example/*)'] }, ['wrong-syntax allow.0']],
    ['a colon in the middle', { deny: ['Bash(git:* push)'] }, ['mid-colon-star deny.0']],
    ['a star glued to the program', { allow: ['Bash(git*)'] }, ['unanchored-allow allow.0']],
    ['a star before everything', { allow: ['Bash(* --version)'] }, ['unanchored-allow allow.0']],
    ['a word without arguments', { deny: ['Bash(git)'] }, ['bare-command-deny deny.0']],
    [
      'the word with arguments beside it',
      { deny: ['Bash(git)', 'Bash(git *)'] },
      ['redundant deny.0 by deny:Bash(git *)'],
    ],
    ['a fixed end', { ask: ['Bash(git push * main)'], allow: ['Bash(git push *)'] }, ['end-anchored-deny ask.0']],
    ['a deny of one writer', { deny: ['Write(secrets/**)'] }, ['narrow-path-tool deny.0']],
    ['a slash too few', { deny: ['Read(/etc/ssl/**)'] }, ['single-slash-absolute deny.0']],
    ['a folder of the project', { deny: ['Read(/docs/**)'] }, []],
    [
      'an example that is not matched',
      { deny: [{ rule: 'Bash(rm *)', match: ['rmdir x'] }] },
      ['wrong-example deny.0'],
    ],
    ['a malformed deny', { deny: ['Bash(rm *'] }, ['malformed-rule deny.0']],
  ])('%s', (_name, input, expected) => {
    expect(short(input)).toEqual(expected);
  });

  it('suggests the name that was meant, with the text kept', () => {
    expect(findings({ deny: ['Bahs(rm *)'] })[0]?.fix).toBe('write `Bash(rm *)`');
    expect(findings({ deny: ['mcp_db_drop'] })[0]?.fix).toBe('write `mcp__db__drop`');
    expect(findings({ allow: ['WebFetch(https://docs.example/*)'] })[0]?.fix).toBe(
      'write `WebFetch(domain:docs.example)`',
    );
  });

  it('finds nothing in a policy that says what it means', () => {
    const sound: PolicyInput = {
      deny: ['Bash(git push --force *)', 'Read(secrets/**)', 'mcp__db__drop_*'],
      ask: ['Bash(git push *)', 'Edit(deploy/**)'],
      allow: [
        'Bash(npm test *)',
        'Bash(git commit *)',
        'Edit(src/**)',
        'WebFetch(domain:docs.example)',
        'mcp__db__query',
      ],
    };
    expect(short(sound)).toEqual([]);
  });
});

describe('the witness', () => {
  const inputs: PolicyInput[] = [
    {
      deny: ['Bash(git push *)', 'Bash(git)', 'Write(a/**)'],
      allow: ['Bash(git push origin *)', 'Bash(* -v)', 'Bash', 'Edit(/tmp/**)', 'mcp__a'],
    },
    { ask: ['Bash(x *)', 'Bash(x y)'], allow: ['Bash(x y z)', 'Read', 'WebFetch(domain:*)'] },
  ];

  it('is judged by the engine as the finding says', () => {
    for (const input of inputs) {
      const document = documentOf(input);
      const compiled = compilePolicy(document);
      if (!compiled.ok) throw new Error('does not compile');
      for (const { witness } of analysePolicy(document, CONTEXT)) {
        const verdict = judgeSample(sceneOf(CONTEXT), compiled.policy, witness!, 'default');
        expect({ effect: verdict.effect, decidedBy: verdict.ruleId }).toEqual({
          effect: witness?.effect,
          decidedBy: witness?.decidedBy,
        });
      }
    }
  });

  it('of an evaded deny is judged more mildly than the rule wants', () => {
    for (const one of findings({ deny: ['Bash(git)', 'Write(a/**)', 'Bash(x * y)'] })) {
      expect(STRICTNESS[one.witness!.effect]).toBeLessThan(STRICTNESS.deny);
    }
  });
});

describe('a large policy', () => {
  it('of 1,000 rules is analysed in the time that a person waits', () => {
    const numbers = (count: number): number[] => Array.from({ length: count }, (_, number) => number);
    const input: PolicyInput = {
      deny: [
        ...numbers(200).map((n) => `mcp__s${String(n)}__drop`),
        ...numbers(100).map((n) => `Read(vault${String(n)}/**)`),
      ],
      allow: [
        ...numbers(400).map((n) => `Bash(prog${String(n)} sub *)`),
        ...numbers(200).map((n) => `Edit(src/mod${String(n)}/**)`),
        ...numbers(99).map((n) => `WebFetch(domain:h${String(n)}.example)`),
        'Bash(prog7 sub now)',
      ],
    };
    expect(short(input)).toEqual(['redundant allow.699 by allow:Bash(prog7 sub *)']);
  }, 60_000);
});
