/** Gemini CLI policies: what maps, what is reported, and that nothing comes out looser. */
import { describe, expect, it } from '@jest/globals';
import { policyDocumentSchema } from '@countersign/contracts';
import fc from 'fast-check';
import { commandMatches, compileCommandPattern } from '../rules/command-pattern.js';
import { importGeminiPolicy, type GeminiPolicyFile } from './gemini-policy.js';
import { regexSpecs } from './gemini-regex.js';
import type { ImportResult } from './import-report.js';

function run(text: string, tier: GeminiPolicyFile['tier'] = 'user'): ImportResult {
  return importGeminiPolicy([{ fileName: 'g.toml', text, source: 'user', tier }]);
}

function rulesOf(result: ImportResult): string[] {
  policyDocumentSchema.parse(result.policy);
  return (['deny', 'ask', 'allow'] as const).flatMap((list) =>
    (result.policy[list] ?? []).map((rule) => `${list} ${typeof rule === 'string' ? rule : rule.rule}`),
  );
}

const shell = (fields: string): string => `[[rule]]\ntoolName = "run_shell_command"\n${fields}\n`;

describe('one rule', () => {
  const rows: [string, string, string[]][] = [
    [
      'prefixes',
      shell('commandPrefix = ["git push", "npm publish"]\ndecision = "ask_user"\npriority = 1'),
      ['ask Bash(git push *)', 'ask Bash(npm publish *)'],
    ],
    [
      'allow by prefix',
      shell('commandPrefix = "git status"\ndecision = "allow"\npriority = 1'),
      ['allow Bash(git status *)'],
    ],
    [
      'whole tool',
      '[[rule]]\ntoolName = ["write_file", "replace"]\ndecision = "deny"\npriority = 1',
      ['deny Write', 'deny Edit'],
    ],
    ['old name', '[[rule]]\ntoolName = "search_file_content"\ndecision = "deny"\npriority = 1', ['deny Grep']],
    [
      'no counterpart keeps its name',
      '[[rule]]\ntoolName = "read_many_files"\ndecision = "allow"\npriority = 1',
      ['allow read_many_files'],
    ],
    ['foreign name that is ours', '[[rule]]\ntoolName = "Bash"\ndecision = "allow"\npriority = 1', []],
    ['allow in some modes', shell('decision = "allow"\nmodes = ["yolo"]\npriority = 1'), []],
    [
      'allow in all modes',
      shell('decision = "allow"\nmodes = ["default", "autoEdit", "plan", "yolo"]\npriority = 1'),
      ['allow Bash'],
    ],
    ['deny in some modes', shell('decision = "deny"\nmodes = ["plan"]\npriority = 1'), ['deny Bash']],
    ['allow of a subagent', shell('decision = "allow"\nsubagent = "x"\npriority = 1'), []],
    ['allow when interactive', shell('decision = "allow"\ninteractive = true\npriority = 1'), []],
    [
      'allow on annotations',
      '[[rule]]\ntoolName = "*"\nmcpName = "a"\ntoolAnnotations = { readOnlyHint = true }\ndecision = "allow"\npriority = 1',
      [],
    ],
    ['unknown condition', shell('decision = "allow"\nonlyOn = "monday"\npriority = 1'), []],
    ['prototype as condition', shell('decision = "allow"\nconstructor = "x"\npriority = 1'), []],
    [
      'server by name',
      '[[rule]]\nmcpName = "a_b"\ntoolName = "c"\ndecision = "allow"\npriority = 1',
      ['allow mcp__a_b__c'],
    ],
    ['whole server', '[[rule]]\nmcpName = "a"\ndecision = "allow"\npriority = 1', ['allow mcp__a__*']],
    ['any server', '[[rule]]\nmcpName = "*"\ntoolName = "x"\ndecision = "allow"\npriority = 1', []],
    [
      'any server, deny',
      '[[rule]]\nmcpName = "*"\ntoolName = "x"\ndecision = "deny"\npriority = 1',
      ['deny mcp__*__x'],
    ],
    [
      'flat name',
      '[[rule]]\ntoolName = "mcp_a_b_c"\ndecision = "allow"\npriority = 1',
      ['allow mcp__a__b_c', 'allow mcp__a_b__c'],
    ],
    ['flat server', '[[rule]]\ntoolName = "mcp_a_*"\ndecision = "allow"\npriority = 1', ['allow mcp__a__*']],
    ['flat all, allow', '[[rule]]\ntoolName = "mcp_*"\ndecision = "allow"\npriority = 1', []],
    ['flat all, deny', '[[rule]]\ntoolName = "mcp_*"\ndecision = "deny"\npriority = 1', ['deny mcp__*']],
    ['doubled underscore', '[[rule]]\ntoolName = "mcp__a__b"\ndecision = "allow"\npriority = 1', []],
    [
      'all tools, allow',
      '[[rule]]\ntoolName = "*"\ndecision = "allow"\npriority = 1',
      [
        'Bash',
        'Write',
        'Edit',
        'Read',
        'read_many_files',
        'Glob',
        'Grep',
        'LS',
        'WebFetch',
        'WebSearch',
        'AskUserQuestion',
        'TodoWrite',
        'EnterPlanMode',
        'ExitPlanMode',
        'Skill',
        'Agent',
      ].map((tool) => `allow ${tool}`),
    ],
    [
      'arguments, allow',
      '[[rule]]\ntoolName = "write_file"\nargsPattern = "tmp"\ndecision = "allow"\npriority = 1',
      [],
    ],
    [
      'arguments, deny',
      '[[rule]]\ntoolName = "write_file"\nargsPattern = "tmp"\ndecision = "deny"\npriority = 1',
      ['ask Write'],
    ],
    [
      'arguments that are the command',
      shell('argsPattern = \'"command":"rm \'\ndecision = "deny"\npriority = 1'),
      ['deny Bash(rm *)'],
    ],
    [
      'expression, allow',
      shell('commandRegex = "git (status|log)"\ndecision = "allow"\npriority = 1'),
      ['allow Bash(git status*)', 'allow Bash(git log*)'],
    ],
    ['expression that is narrower, allow', shell('commandRegex = "git \\\\d+"\ndecision = "allow"\npriority = 1'), []],
    [
      'expression that is narrower, deny',
      shell('commandRegex = "rm -[rf]+"\ndecision = "deny"\npriority = 1'),
      ['deny Bash(rm -*)'],
    ],
    [
      'expression that cannot be said, deny',
      shell('commandRegex = "^(?!ls)"\ndecision = "deny"\npriority = 1'),
      ['ask Bash'],
    ],
    [
      'colon at the end',
      shell('commandRegex = "npm run test:"\ndecision = "deny"\npriority = 1'),
      ['deny Bash(npm run test:**)'],
    ],
    ['prefix with a blank, allow', shell('commandPrefix = "git "\ndecision = "allow"\npriority = 1'), []],
    [
      'prefix with a blank, deny',
      shell('commandPrefix = "git "\ndecision = "deny"\npriority = 1'),
      ['deny Bash(git *)'],
    ],
    [
      'prefix on another tool',
      '[[rule]]\ntoolName = "write_file"\ncommandPrefix = "x"\ndecision = "deny"\npriority = 1',
      ['ask Write'],
    ],
    ['unknown decision', shell('decision = "maybe"\npriority = 1'), ['ask *']],
    ['no tool', '[[rule]]\ndecision = "deny"\npriority = 1', ['ask *']],
    ['no tool, allow', '[[rule]]\ndecision = "allow"\npriority = 1', []],
    [
      'safety checker',
      '[[safety_checker]]\ntoolName = "write_file"\n[[rule]]\ntoolName = "write_file"\ndecision = "allow"\npriority = 1',
      ['ask Write', 'allow Write'],
    ],
    ['rule is no list', 'rule = 7', ['ask *']],
    ['no TOML', '[[rule]', ['ask *']],
    ['empty', '', []],
  ];
  it.each(rows)('%s', (_name, text, expected) => {
    expect(rulesOf(run(text))).toEqual(expected);
  });
  it('keeps the message as the reason', () => {
    expect(run(shell('commandPrefix = "rm"\ndecision = "deny"\ndenyMessage = "no"\npriority = 1')).policy.deny).toEqual(
      [{ rule: 'Bash(rm *)', source: 'user', origin: 'g.toml:1:1', reason: 'no' }],
    );
  });
});

describe('order', () => {
  const git = shell('commandPrefix = "git status"\ndecision = "allow"\npriority = 100');
  it('an ask below an allow is left to the default', () => {
    const result = run(git + shell('decision = "ask_user"\npriority = 10'));
    expect(rulesOf(result)).toEqual(['allow Bash(git status *)']);
    expect(result.policy.mode).toBe('custom');
    expect(result.policy.agentModes).toEqual(['custom']);
    expect(result.report.notMapped).toEqual([]);
  });
  it('a question about every tool below an allow is left to the default', () => {
    const result = run(`${git}[[rule]]\ntoolName = "*"\ndecision = "ask_user"\npriority = 1`);
    expect(rulesOf(result).filter((rule) => rule.startsWith('ask Bash') || rule === 'ask *')).toEqual([]);
    expect(rulesOf(result)).toContain('ask Write');
    expect(result.policy.mode).toBe('custom');
  });
  it('a deny below an allow stays, and is reported', () => {
    const result = run(git + shell('decision = "deny"\npriority = 10'));
    expect(rulesOf(result)).toEqual(['deny Bash', 'allow Bash(git status *)']);
    expect(result.report.notMapped[0]?.why).toContain('the strictest rule decides');
  });
  it('a deny of every tool also denies those that are not known', () => {
    const result = run(`${git}[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 1`);
    expect(rulesOf(result)).toContain('deny mcp__*');
    expect(rulesOf(result)).not.toContain('deny *');
    expect(result.policy.unknownTool).toBe('deny');
    expect(rulesOf(run('[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 1'))).toContain('deny *');
  });
  it('an allow below an ask that went to the default is left out', () => {
    const result = run(
      git +
        shell('commandPrefix = "git"\ndecision = "ask_user"\npriority = 50') +
        shell('decision = "allow"\npriority = 1'),
    );
    expect(rulesOf(result)).toEqual(['allow Bash(git status *)']);
  });
  it('a tier beats every priority', () => {
    const admin: GeminiPolicyFile = {
      fileName: 'a',
      source: 'managed',
      tier: 'admin',
      text: shell('decision = "deny"\npriority = 0'),
    };
    const user: GeminiPolicyFile = {
      fileName: 'u',
      source: 'user',
      tier: 'user',
      text: shell('decision = "allow"\npriority = 999'),
    };
    const result = importGeminiPolicy([user, admin]);
    expect(rulesOf(result)).toEqual(['deny Bash']);
    expect(result.report.notMapped.map((item) => item.why)).toEqual(['a rule above it decides first']);
  });
});

describe('properties', () => {
  const word = fc.constantFrom('git', 'push', 'status', 'rm', '-rf', 'a*', 'x:');
  const words = fc.array(word, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' '));
  const rule = fc.record({
    prefix: fc.option(words, { nil: undefined }),
    decision: fc.constantFrom('allow', 'deny', 'ask_user'),
    priority: fc.integer({ min: 0, max: 5 }),
  });
  const rank: Record<string, number> = { allow: 0, ask_user: 1, ask: 1, deny: 2 };
  const inGemini = (
    rules: { prefix: string | undefined; decision: string; priority: number }[],
    command: string,
  ): number => {
    const hits = rules.filter(
      ({ prefix }) => prefix === undefined || command === prefix || command.startsWith(`${prefix} `),
    );
    const best = Math.max(...hits.map((hit) => hit.priority));
    const first = hits.filter((hit) => hit.priority === best).map((hit) => rank[hit.decision] ?? 1);
    return hits.length === 0 ? 1 : Math.min(...first);
  };
  const here = (result: ImportResult, command: string): number | undefined => {
    const hits = (['deny', 'ask', 'allow'] as const).filter((list) =>
      rulesOf(result).some((rule) => covers(rule, list, command)),
    );
    const none = result.policy.mode === 'custom' ? 1 : undefined;
    return hits[0] === undefined ? none : rank[hits[0]];
  };
  const covers = (rule: string, list: string, command: string): boolean => {
    if (rule === `${list} Bash` || rule === `${list} *`) return true;
    const spec = rule.startsWith(`${list} Bash(`) ? rule.slice(list.length + 6, -1) : undefined;
    return spec !== undefined && commandMatches(compileCommandPattern(spec.trim()), command);
  };
  it('no command comes out looser', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 6 }), fc.array(words, { maxLength: 5 }), (rules, commands) => {
        const text = rules.map(({ prefix, decision, priority }) =>
          shell(
            `${prefix === undefined ? '' : `commandPrefix = ${JSON.stringify(prefix)}`}\ndecision = "${decision}"\npriority = ${String(priority)}`,
          ),
        );
        const result = run(text.join(''));
        for (const command of commands) {
          const got = here(result, command);
          if (got !== undefined) expect(got).toBeGreaterThanOrEqual(inGemini(rules, command));
        }
      }),
      { numRuns: 1_500 },
    );
  });
  it('every rule is spoken of in the report, and nothing throws', () => {
    const value = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constantFrom('*', 'mcp_*', 'allow', 'deny', 'run_shell_command'),
      fc.array(fc.string(), { maxLength: 2 }),
    );
    const key = fc.constantFrom(
      'toolName',
      'mcpName',
      'decision',
      'commandPrefix',
      'commandRegex',
      'argsPattern',
      'priority',
      'modes',
      'subagent',
      'x',
    );
    fc.assert(
      fc.property(fc.dictionary(key, value), (fields) => {
        const lines = Object.entries(fields).map(([name, member]) => `${name} = ${JSON.stringify(member)}`);
        const result = run(`[[rule]]\n${lines.join('\n')}`);
        rulesOf(result);
        expect(result.report.mapped.length + result.report.notMapped.length).toBeGreaterThan(0);
      }),
      { numRuns: 1_000 },
    );
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => rulesOf(run(text)).length >= 0));
  });
  it('expressions are never narrowed', () => {
    const piece = fc.constantFrom(
      'git',
      ' ',
      '.*',
      '.',
      '(a|b)',
      '[xy]',
      '\\.',
      '\\s+',
      'a+',
      'b?',
      '\\d',
      '(?:c|d)*',
      ':',
      '\\*',
    );
    const text = fc
      .array(fc.constantFrom('git', ' ', 'a', 'b', 'x', '.', ':', '*', '7', 'push'), { maxLength: 8 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 5 }), text, (parts, command) => {
        const found = regexSpecs(parts.join(''));
        const plain = command.replace(/ +/g, ' ').trim();
        if (!found || !new RegExp(`^${parts.join('')}`).test(plain)) return;
        expect(
          found.specs.some((spec) => spec === '*' || commandMatches(compileCommandPattern(spec.trim()), plain)),
        ).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });
  it('many rules end soon', () => {
    const many = Array.from({ length: 8_000 }, (_, i) =>
      shell(
        `commandPrefix = "${'a*'.repeat(3)}${String(i)}"\ndecision = "${i % 2 ? 'allow' : 'ask_user'}"\npriority = 1`,
      ),
    );
    expect(run(many.join('')).report.mapped.length).toBeGreaterThan(0);
    const some = Array.from({ length: 900 }, (_, i) =>
      shell(
        `commandPrefix = "${'*a'.repeat(60)}${String(i)}"\ndecision = "${i % 2 ? 'allow' : 'ask_user'}"\npriority = 1`,
      ),
    );
    expect(run(some.join('')).report.mapped.length).toBeGreaterThan(0);
  }, 10_000);
});
