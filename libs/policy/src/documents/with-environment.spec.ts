import { describe, expect, it } from '@jest/globals';
import { policyDocumentSchema, type PolicyDocument, type PolicyInput } from '@countersign/contracts';
import { callOf, bash, factsOf, judge, policyOf, sessionOf } from '../engine/judge.fixture.js';
import { compilePolicy } from '../policy/compile.js';
import { withEnvironment } from './with-environment.js';

function merged(document: PolicyInput, variables: Record<string, string>): PolicyDocument {
  const result = withEnvironment(policyDocumentSchema.parse(document), variables);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.document;
}

const VARIABLES = {
  AGENT_PERMISSIONS_DENY: 'Bash(git push *)',
  AGENT_PERMISSION_MODE: 'plan',
  AGENT_DENIAL_MAX_CONSECUTIVE: '2',
};

describe('the environment over a policy', () => {
  it('stands above what the policy says', () => {
    const own = { mode: 'acceptEdits', allow: ['Bash(git *)'], breaker: { inARow: 9, total: 30, counts: [] } } as const;
    const document = merged({ ...own, allow: [...own.allow], breaker: { ...own.breaker, counts: [] } }, VARIABLES);
    expect(document).toMatchObject({ mode: 'plan', breaker: { inARow: 2, total: 30 } });
    const compiled = compilePolicy(document);
    if (!compiled.ok) throw new Error('does not compile');
    const verdict = judge(bash('git push'), compiled.policy);
    expect(verdict).toMatchObject({ effect: 'deny', ruleId: 'deny:Bash(git push *)' });
    expect(verdict.matches.find((match) => match.effect === 'deny')?.source).toBe('managed');
  });

  it('gives the policy’s own rules no stronger source', () => {
    const allow = ['Edit(a)', { rule: 'Edit(b)', source: 'project' as const }];
    const document = merged({ preset: 'coding-agent', allow }, { AGENT_PERMISSIONS_ASK: 'Edit(c)' });
    expect(document.allow.map((rule) => typeof rule !== 'string' && rule.source)).toEqual(['project', 'project']);
    expect(merged({ allow }, { AGENT_PERMISSIONS_ASK: 'Edit(c)' }).allow).toEqual([
      { rule: 'Edit(a)', source: 'user' },
      { rule: 'Edit(b)', source: 'project' },
    ]);
  });

  it('is laid over once, and leaves with its rules', () => {
    const once = merged({ ask: ['Bash(make *)'] }, VARIABLES);
    expect(merged(once, VARIABLES)).toEqual(once);
    expect(merged(once, {}).deny).toEqual([]);
    expect(merged(once, {}).ask).toEqual(once.ask);
  });

  it('changes nothing when it sets nothing', () => {
    const document = policyDocumentSchema.parse({ allow: ['Read'] });
    expect(withEnvironment(document, { HOME: '/root', AGENT_PERMISSIONS_DENY: ' ' })).toEqual({
      ok: true,
      document,
      used: [],
    });
  });

  it('takes the place of options that say the same', () => {
    const document = merged(
      { preset: 'astro-research', options: { denialMaxConsecutive: 7, denialMaxTotal: 8 } },
      { AGENT_DENIAL_MAX_CONSECUTIVE: '2', AGENT_BLOCK_NETWORK: 'false' },
    );
    expect(document).toMatchObject({ options: { denialMaxTotal: 8, blockNetwork: false }, breaker: { inARow: 2 } });
    expect(document.options).not.toHaveProperty('denialMaxConsecutive');
  });

  it('is refused as a whole when one variable cannot be read', () => {
    const result = withEnvironment(policyDocumentSchema.parse({}), { AGENT_PERMISSION_DENY: 'Bash' });
    expect(result).toMatchObject({ ok: false, problems: [{ suggestion: 'AGENT_PERMISSIONS_DENY' }] });
  });

  it('may name folders of the user’s home', () => {
    const document = merged({}, { AGENT_ADDITIONAL_DIRS: '~/notes' });
    const policy = policyOf({ additionalDirectories: document.additionalDirectories });
    const read = callOf('Read', { file_path: '/home/dev/notes/a' });
    expect(judge(read, policy).effect).toBe('allow');
    expect(judge(read, policy, factsOf({ session: sessionOf({ home: null }) })).effect).toBe('ask');
  });
});
