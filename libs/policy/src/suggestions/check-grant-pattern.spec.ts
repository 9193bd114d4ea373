import { describe, expect, it } from '@jest/globals';
import { CALLS } from '../analysis/policy-pool.fixture.js';
import type { EngineCall } from '../engine/analysis.js';
import { evaluate } from '../engine/evaluate.js';
import { bash, callOf, factsOf, policyOf } from '../engine/judge.fixture.js';
import { requiredPaths } from '../engine/required-paths.js';
import { grantPatternProblem } from './check-grant-pattern.js';
import { suggestGrants } from './suggest-grants.js';

const policy = policyOf({});

function factsFor(call: EngineCall) {
  const base = factsOf();
  const paths = requiredPaths(call, policy, base.session).map((path) => [path, { real: path, exists: true }]);
  return { ...base, resolvedPaths: Object.fromEntries(paths) };
}

const problem = (call: EngineCall, pattern: string) => grantPatternProblem(call, pattern, policy, factsFor(call));

describe('a pattern that a person typed', () => {
  it.each([
    [bash('git push origin main'), 'Bash(git push *)'],
    [bash('git push origin main'), 'Bash'],
    [bash('cd sub && npm test'), 'Bash(npm test)'],
    [bash('FOO=1 git push'), 'Bash(git push *)'],
    [callOf('Write', { file_path: 'src/a.ts', content: '' }), 'Write(src/**)'],
    [callOf('Write', { file_path: 'src/a.ts', content: '' }), 'Edit(src/**)'],
    [callOf('WebFetch', { url: 'https://example.com/a', prompt: '' }), 'WebFetch(domain:example.com)'],
    [callOf('mcp__github__merge', {}), 'mcp__github__*'],
  ])('%j may be %s', (call, pattern) => {
    expect(problem(call, pattern)).toBeNull();
  });

  it.each([
    [bash('git push origin main'), 'Write'],
    [bash('git push origin main'), 'Write(**)'],
    [bash('git push origin main'), 'WebFetch(domain:example.com)'],
    [bash('git push origin main'), 'mcp__github__merge'],
    [bash('git push origin main'), 'Bash(ls *)'],
    [callOf('Write', { file_path: 'src/a.ts', content: '' }), 'Write(docs/**)'],
  ])('%j may not be %s, which says nothing of it', (call, pattern) => {
    expect(problem(call, pattern)).toMatch(/says nothing of the call/);
  });

  it.each(['*', 'mcp__*', 'Bash(re:[)', 'Bash(secret', ''])('may not be %j, which is no allow rule', (pattern) => {
    const said = problem(bash('git push'), pattern);
    expect(said).not.toBeNull();
    expect(said).not.toContain('secret');
  });

  it('may be whatever is suggested', () => {
    let suggested = 0;
    for (const { tool, args } of CALLS.filter((_call, index) => index % 4 === 0)) {
      const call = callOf(tool, args);
      const facts = factsFor(call);
      for (const { pattern } of suggestGrants(call, evaluate(call, policy, facts), policy, facts)) {
        expect([pattern, grantPatternProblem(call, pattern, policy, facts)]).toEqual([pattern, null]);
        suggested += 1;
      }
    }
    expect(suggested).toBeGreaterThan(4);
  });
});
