/** Environment variables and layers. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ENVIRONMENT_VARIABLES, policyFromEnvironment } from './environment.js';
import { mergePolicies } from './merge-policies.js';
import { ruleParts, splitRuleList } from './rule-list.js';
import { editDistance, nearest } from './suggest.js';

describe('policyFromEnvironment', () => {
  it('reads rules, parted by commas and newlines outside parentheses, as managed', () => {
    const result = policyFromEnvironment({
      AGENT_PERMISSIONS_DENY: 'Bash(rm -rf *), Edit(a,b)\nRead(./.env),,',
      AGENT_PERMISSIONS_ASK: '*(sudo)',
      AGENT_PERMISSIONS_ALLOW: ' ',
      OTHER: 'x',
    });
    const of = (rule: string, name: string): object => ({ rule, source: 'managed', origin: name });
    expect(result).toEqual({
      ok: true,
      policy: {
        deny: ['Bash(rm -rf *)', 'Edit(a,b)', 'Read(./.env)'].map((rule) => of(rule, 'AGENT_PERMISSIONS_DENY')),
        ask: [of('*(sudo)', 'AGENT_PERMISSIONS_ASK')],
      },
    });
  });
  it('reads the single values', () => {
    const result = policyFromEnvironment({
      AGENT_PERMISSION_MODE: 'dontAsk',
      AGENT_ADDITIONAL_DIRS: '/srv/data, ~/notes\n/opt',
      AGENT_BLOCK_NETWORK: 'FALSE',
      AGENT_DENIAL_MAX_CONSECUTIVE: '5',
      AGENT_TOOL_TIMEOUT_SECS: '60',
    });
    expect(result).toEqual({
      ok: true,
      policy: {
        mode: 'dontAsk',
        additionalDirectories: ['/srv/data', '~/notes', '/opt'],
        breaker: { inARow: 5 },
        options: { toolTimeoutSecs: 60, blockNetwork: false },
      },
    });
  });
  const flaws: [string, string, string, string | undefined][] = [
    [
      'AGENT_PERMISSION_MODE',
      'dontask',
      '`dontask` is none of `default`, `acceptEdits`, `plan`, `dontAsk`, `bypassPermissions`, `auto`, `custom`',
      'dontAsk',
    ],
    ['AGENT_BLOCK_NETWORK', 'no', 'expected `true` or `false`, found `no`', 'false'],
    ['AGENT_BLOCK_NETWORK', 'constructor', 'expected `true` or `false`, found `constructor`', undefined],
    ['AGENT_DENIAL_MAX_TOTAL', '0', 'expected a whole number from 1 to 1000000, found `0`', undefined],
    ['AGENT_DENIAL_MAX_TOTAL', '-1', 'expected a whole number from 1 to 1000000, found `-1`', undefined],
    ['AGENT_DENIAL_MAX_CONSECUTIVE', '3.5', 'expected a whole number from 1 to 1000000, found `3.5`', undefined],
    ['AGENT_TOOL_TIMEOUT_SECS', 'NaN', 'expected a whole number from 1 to 86400, found `NaN`', undefined],
    ['AGENT_PERMISSIONS_DENY', 'Bash(rm', '`(` is not closed', undefined],
    ['AGENT_PERMISSIONS_DENY', 'Bash)', '`)` without `(`', undefined],
    ['AGENT_PERMISSIONS_DENY', 'rm -rf', '`rm -rf` is no rule', undefined],
    ['AGENT_ADDITIONAL_DIRS', 'notes', '`notes` is neither absolute nor under `~/`', undefined],
    ['AGENT_ADDITIONAL_DIRS', '/a:/b', '`/a:/b` looks like several folders', '/a,/b'],
    ['AGENT_PERMISSION_DENY', 'Bash', 'unknown variable', 'AGENT_PERMISSIONS_DENY'],
  ];
  it.each(flaws)('%s=%s is refused', (variable, value, message, suggestion) => {
    const problem = suggestion === undefined ? { variable, message } : { variable, message, suggestion };
    expect(policyFromEnvironment({ [variable]: value })).toEqual({ ok: false, problems: [problem] });
  });
  it('never throws', () => {
    const variables = fc.dictionary(fc.constantFrom(...ENVIRONMENT_VARIABLES), fc.string({ unit: 'binary' }));
    fc.assert(fc.property(variables, (value) => typeof policyFromEnvironment(value).ok === 'boolean'));
  });
});

describe('mergePolicies', () => {
  it('joins lists with the source of their layer and takes single values from the strongest', () => {
    const merged = mergePolicies([
      { source: 'managed', policy: { deny: ['Bash'], breaker: { inARow: 1 }, options: { a: 1 } } },
      {
        source: 'project',
        policy: { mode: 'plan', ask: [{ rule: 'Edit', source: 'managed' }], roots: ['/a'], options: { a: 2, b: 2 } },
      },
      {
        source: 'user',
        policy: {
          mode: 'auto',
          allow: [{ rule: 'Read', source: 'grant' }],
          roots: ['/a', '/b'],
          breaker: { inARow: 9, total: 9 },
        },
      },
    ]);
    expect(merged).toEqual({
      mode: 'plan',
      deny: [{ rule: 'Bash', source: 'managed' }],
      ask: [{ rule: 'Edit', source: 'project' }],
      allow: [{ rule: 'Read', source: 'grant' }],
      roots: ['/a', '/b'],
      breaker: { inARow: 1, total: 9, counts: ['policy', 'person'] },
      options: { a: 1, b: 2 },
    });
  });
  it('takes only denies and asks from a layer that nobody vouched for', () => {
    const merged = mergePolicies([
      {
        source: 'project',
        trusted: false,
        policy: { mode: 'bypassPermissions', roots: ['/'], deny: ['A'], ask: ['B'], allow: ['C'], options: { x: 1 } },
      },
    ]);
    expect(merged).toEqual({
      deny: [{ rule: 'A', source: 'project' }],
      ask: [{ rule: 'B', source: 'project' }],
      allow: [],
    });
  });
  it('of no layers is the empty policy', () => {
    expect(mergePolicies([])).toEqual({ deny: [], ask: [], allow: [] });
  });
});

describe('rule texts', () => {
  it('are taken apart', () => {
    expect(ruleParts('Bash(git push *)')).toEqual({ tool: 'Bash', spec: 'git push *' });
    expect(ruleParts('Bash(*)')).toEqual({ tool: 'Bash', spec: null });
    expect(ruleParts('Bash()')).toEqual({ tool: 'Bash', spec: null });
    expect(ruleParts('mcp__a__b')).toEqual({ tool: 'mcp__a__b', spec: null });
    expect(ruleParts('Bash(a (b) c)')).toEqual({ tool: 'Bash', spec: 'a (b) c' });
    for (const odd of ['', '(x)', 'a b', 'Bash(x', 'Bash(x)y', 'Bash x)']) expect(ruleParts(odd)).toBeUndefined();
  });
  it('are parted', () => {
    expect(splitRuleList('a,b(c,d)\n e ')).toEqual({ ok: true, items: ['a', 'b(c,d)', 'e'] });
    expect(splitRuleList('a(')).toEqual({ ok: false, message: '`(` is not closed' });
    expect(splitRuleList(')(')).toEqual({ ok: false, message: '`)` without `(`' });
  });
});

describe('nearest', () => {
  it('finds what was meant, and nothing when all is far', () => {
    expect(editDistance('abcd', 'acbd')).toBe(1);
    expect(nearest('alow', ['allow', 'ask'])).toBe('allow');
    expect(nearest('accept-edits', ['acceptEdits'])).toBe('acceptEdits');
    expect(nearest('zebra', ['allow', 'ask'])).toBeUndefined();
    expect(nearest('a'.repeat(1_000), ['allow'])).toBeUndefined();
  });
});
