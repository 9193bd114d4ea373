/** Short ways for specs to judge a call: a policy, a session and evidence with everything filled in. */
import type { Facts, PolicyInput, SessionFacts, Verdict } from '@countersign/contracts';
import { compilePolicy } from '../policy/compile.js';
import type { CompiledPolicy } from '../policy/compiled-policy.js';
import { parsePolicyDocument } from '../policy/parse-document.js';
import type { EngineCall } from './analysis.js';
import { evaluate } from './evaluate.js';
import { NEUTRAL_SESSION } from './neutral-session.js';
import { requiredPaths } from './required-paths.js';

export function policyOf(input: Partial<PolicyInput> = {}): CompiledPolicy {
  const document = parsePolicyDocument({ ...input });
  if (!document.ok) throw new Error(JSON.stringify(document.problems));
  const compiled = compilePolicy(document.document);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return compiled.policy;
}

export function sessionOf(over: Partial<SessionFacts> = {}): SessionFacts {
  const place = { roots: ['/work/app'], cwd: '/work/app', home: '/home/dev' };
  return { ...NEUTRAL_SESSION, sessionId: 's1', ...place, ...over };
}

export function factsOf(over: Partial<Facts> = {}): Facts {
  const base = { now: '2026-01-01T00:00:00.000Z', session: sessionOf(), resolvedPaths: {}, platform: 'linux' };
  return { ...base, protectedPaths: ['/var/lib/countersign'], ...over };
}

export function callOf(tool: string, args: unknown, over: Partial<EngineCall> = {}): EngineCall {
  return { tool, args, problem: null, argsHash: 'hash', cwd: '/work/app', reportedMode: null, ...over };
}

/** Judges with evidence that every path exists and is its own real path, unless `links` says otherwise. */
export function judge(
  call: EngineCall,
  policy: CompiledPolicy = policyOf(),
  facts: Facts = factsOf(),
  links: Readonly<Record<string, string | null>> = {},
): Verdict {
  const resolvedPaths: Facts['resolvedPaths'] = {};
  for (const path of requiredPaths(call, policy, facts.session)) {
    const real = Object.hasOwn(links, path) ? (links[path] ?? null) : path;
    resolvedPaths[path] = { real, exists: real !== null };
  }
  return evaluate(call, policy, { ...facts, resolvedPaths: { ...resolvedPaths, ...facts.resolvedPaths } });
}

export const bash = (command: string): EngineCall => callOf('Bash', { command });
