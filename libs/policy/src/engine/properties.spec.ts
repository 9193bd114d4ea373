import type { Effect } from '@countersign/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bash, callOf, factsOf, judge, policyOf, sessionOf } from './judge.fixture.js';

const RANK: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };
const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions', 'auto', 'custom'] as const;

const simple = fc.constantFrom(
  'ls -la', 'git status', 'git push origin main', 'rm -rf build', 'rm x', 'npm test', 'cat .env', 'cat src/a.ts', 'echo hi', 'echo $X', 'make', 'touch a',
  'sed -i s/a/b/ f', 'find . -delete', 'curl http://x', 'E=1 npm test', '/bin/rm x', 'git -C x push', 'grep -r k .', 'cd .. && ls', 'tee f', 'cp a .git/config', '$x y',
); // prettier-ignore
const redirect = fc.constantFrom('', ' > out.txt', ' >> /tmp/x', ' < in', ' 2>&1', ' > /dev/null', ' > .env');
const part = fc.tuple(simple, redirect).map(([command, target]) => command + target);
const line = fc
  .array(fc.tuple(part, fc.constantFrom(' && ', ' ; ', ' | ', ' || ', ' & ')), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.map(([command, join], at) => (at === parts.length - 1 ? command : command + join)).join(''));
const rule = fc.constantFrom(
  'Bash', 'Bash(git *)', 'Bash(git push *)', 'Bash(rm *)', 'Bash(rm -rf *)', 'Bash(npm test *)', 'Bash(npm test)', 'Bash(echo *)', 'Bash(cat *)', 'Bash(make)',
  'Bash(*)', 'Bash(touch *)', 'Bash(curl *)', 'Bash(* x)', 'Edit', 'Edit(out.txt)', 'Edit(**)', 'Edit(//tmp/**)', 'Read(.env)', 'Read(src/**)', 'Read(**)', 'mcp__a', '*', 'Bash(tee *)', 'Bash(nice *)',
  'Bash(re:(git|rm) .*)', 'Bash(re:[a-z]+ test)', 'Edit(re:.*/[a-z]+\\.txt)', 'Read(re:/work/app/src/.*)', 'Read(re:.*\\.env)',
); // prettier-ignore
const rules = fc.array(rule, { maxLength: 4 });
const policy = fc.record({ deny: rules, ask: rules, allow: rules });
const mode = fc.constantFrom(...MODES);

const rankOf = (
  command: string,
  document: { deny: string[]; ask: string[]; allow: string[] },
  judged: (typeof MODES)[number],
): number => RANK[judge(bash(command), policyOf(document), factsOf({ session: sessionOf({ mode: judged }) })).effect];

describe('tightening never loosens', () => {
  it.each(['deny', 'ask'] as const)('adding a rule to %s', (effect) => {
    fc.assert(
      fc.property(line, policy, mode, rule, (command, document, judged, added) => {
        const tighter = { ...document, [effect]: [...document[effect], added] };
        expect(rankOf(command, tighter, judged)).toBeGreaterThanOrEqual(rankOf(command, document, judged));
      }),
      { numRuns: 300 },
    );
  });

  it('taking an allow away', () => {
    fc.assert(
      fc.property(line, policy, mode, (command, document, judged) => {
        const tighter = { ...document, allow: document.allow.slice(1) };
        expect(rankOf(command, tighter, judged)).toBeGreaterThanOrEqual(rankOf(command, document, judged));
      }),
      { numRuns: 300 },
    );
  });

  it('silencing, cancelling, restricting tools, losing evidence', () => {
    fc.assert(
      fc.property(line, policy, mode, (command, document, judged) => {
        const before = rankOf(command, document, judged);
        const session = sessionOf({ mode: judged });
        for (const over of [{ silent: true }, { cancelled: true }, { tools: ['Read'] }, { roots: [] }]) {
          const verdict = judge(bash(command), policyOf(document), factsOf({ session: { ...session, ...over } }));
          expect(RANK[verdict.effect]).toBeGreaterThanOrEqual(before);
        }
      }),
      { numRuns: 200 },
    );
  });
});

const quoted = (command: string): string => `'${command.replaceAll("'", "'\\''")}'`;
const WRAPPINGS: readonly [string, (command: string) => string][] = [
  ['sh -c', (command) => `sh -c ${quoted(command)}`],
  ['bash -lc', (command) => `bash -lc ${quoted(command)}`],
  ['eval', (command) => `eval ${quoted(command)}`],
  ['a list', (command) => `true; ${command}`],
  ['a chain', (command) => `ls && ${command}`],
  ['a tail', (command) => `${command}\nls`],
  ['a subshell', (command) => `(${command})`],
  ['a group', (command) => `{ ${command}; }`],
  ['a substitution', (command) => `echo "$(${command})"`],
  [
    'backticks',
    (command) => `echo \`${command.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('$', '\\$')}\``,
  ],
  ['a branch', (command) => `if true; then ${command}\nfi`],
  ['a loop', (command) => `for i in 1; do ${command}\ndone`],
  ['a process substitution', (command) => `cat <(${command})`],
  ['a here-document', (command) => `cat <<EOF\n$(${command})\nEOF`],
  ['bash <<<', (command) => `bash <<< ${quoted(command)}`],
  ['a trap', (command) => `trap ${quoted(command)} EXIT`],
];
const PREFIXES = [
  'env',
  'env A=1',
  'nice -n 5',
  'timeout 5',
  'nohup',
  'command',
  'xargs',
  'xargs -n1',
  'sudo',
  'setsid',
  'stdbuf -oL',
  'time',
  'strace',
  'FOO=1',
  'exec',
];

describe('dressing a command up never loosens', () => {
  it.each(WRAPPINGS)('in %s', (_name, wrap) => {
    fc.assert(
      fc.property(line, policy, mode, (command, document, judged) => {
        expect(rankOf(wrap(command), document, judged)).toBeGreaterThanOrEqual(rankOf(command, document, judged));
      }),
      { numRuns: 100 },
    );
  });

  it.each(PREFIXES)('behind %s', (prefix) => {
    fc.assert(
      fc.property(
        simple.filter((command) => !/&&|^E=/.test(command)),
        policy,
        mode,
        (command, document, judged) => {
          expect(rankOf(`${prefix} ${command}`, document, judged)).toBeGreaterThanOrEqual(
            rankOf(command, document, judged),
          );
        },
      ),
      { numRuns: 100 },
    );
  });

  it('with quotes and backslashes in its name', () => {
    fc.assert(
      fc.property(
        simple.filter((command) => /^[a-z]{2,} /.test(command)),
        policy,
        mode,
        (command, document, judged) => {
          for (const dressed of [
            `"${command.slice(0, 2)}"${command.slice(2)}`,
            `\\${command}`,
            `${command.slice(0, 1)}''${command.slice(1)}`,
          ]) {
            expect(rankOf(dressed, document, judged)).toBeGreaterThanOrEqual(rankOf(command, document, judged));
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('evaluate is total', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: fc.constantFrom(...'$(){}[]`"\'\\<>|&;#~*?=! \n\taE0'), maxLength: 60 }),
    line,
  );
  const anything = fc.anything({ withNullPrototype: true, withBigInt: true, maxDepth: 3 });
  const tool = fc.constantFrom(
    'Bash',
    'PowerShell',
    'Read',
    'Write',
    'Grep',
    'WebFetch',
    'Agent',
    'mcp__a__b',
    'Nobody',
    '__proto__',
    'constructor',
    '',
  );

  it('for any text in any place', () => {
    fc.assert(
      fc.property(tool, text, mode, (name, value, judged) => {
        const args = {
          command: value,
          file_path: value,
          path: value,
          url: value,
          subagent_type: value,
          pattern: value,
        };
        const verdict = judge(
          callOf(name, args),
          policyOf({ deny: ['Bash(rm *)', 'Read(.env)'], allow: ['Bash(git *)'] }),
          factsOf({ session: sessionOf({ mode: judged }) }),
        );
        expect(RANK[verdict.effect]).toBeDefined();
        expect(verdict.ruleId).not.toBe('engine.failure');
        expect(verdict.matches.some((match) => match.ruleId === verdict.ruleId)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('for any arguments at all', () => {
    fc.assert(
      fc.property(tool, anything, (name, args) => {
        const verdict = judge(callOf(name, args));
        expect(verdict.ruleId).not.toBe('engine.failure');
      }),
      { numRuns: 1_000 },
    );
  });

  it('for rules of any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.string({ maxLength: 60 }), (spec, value) => {
        const allow = [`Bash(${spec})`, `Edit(${spec})`, `WebFetch(domain:${spec})`];
        for (const call of [
          bash(value),
          callOf('Edit', { file_path: value }),
          callOf('WebFetch', { url: `https://${value}` }),
        ]) {
          expect(judge(call, policyOf({ allow })).ruleId).not.toBe('engine.failure');
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('gives the same answer twice', () => {
    fc.assert(
      fc.property(line, policy, mode, (command, document, judged) => {
        const compiled = policyOf(document);
        const facts = factsOf({ session: sessionOf({ mode: judged }) });
        expect(judge(bash(command), compiled, facts)).toEqual(judge(bash(command), compiled, facts));
      }),
      { numRuns: 150 },
    );
  });
});
