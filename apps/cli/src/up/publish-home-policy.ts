/** Publishes the home's policy at start, with what the environment sets on top, and tells what is odd about it. */
import { escapeForDisplay, type PolicyDocument } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import { compilePolicy, policyWarnings, withEnvironment, type PolicyWarning } from '@countersign/policy';
import { PartMissing } from '../compose/part-missing.js';
import { told, toldOfVariable, type Variables } from '../policy/load-policy.js';
import { POLICY, seedPolicy, TENANT } from '../seed/seed.js';
import type { HomePolicy } from './home-policy.js';

/** Looking for odd rules must not keep a service from starting. */
const ANALYSIS_MS = 1_000;

/** What was put in force, to be told: variables that set a part of it, and warnings about it. */
export interface PublishedPolicy {
  readonly variables: readonly string[];
  readonly warnings: readonly PolicyWarning[];
}

/**
 * Publishes a new or changed file; otherwise the policy in force stays, and the environment is laid over that. Throws PartMissing
 * with one line per problem, before anything is published.
 */
export async function publishHomePolicy(
  ledger: Ledger,
  home: HomePolicy,
  variables: Variables,
): Promise<PublishedPolicy> {
  const inForce = home.changed ? null : await ledger.policies.current(TENANT, POLICY);
  const base = inForce?.document ?? home.document;
  const result = withEnvironment(base, variables);
  if (!result.ok) throw new PartMissing(result.problems.map(toldOfVariable).join('\n'));
  const warnings = warningsOf(result.document, result.used);
  await seedPolicy(ledger, result.document, home.changed || result.document !== base);
  await home.published();
  return { variables: result.used, warnings };
}

function warningsOf(document: PolicyDocument, used: readonly string[]): PolicyWarning[] {
  const compiled = compilePolicy(document);
  if (!compiled.ok) {
    const whole = used.length === 0 ? 'policy' : `policy with ${used.join(', ')}`;
    throw new PartMissing(compiled.problems.map((problem) => told(whole, problem)).join('\n'));
  }
  const end = Date.now() + ANALYSIS_MS;
  return policyWarnings(compiled.policy, () => Date.now() > end);
}

/** The lines for the person who starts the service. */
export function linesOf({ variables, warnings }: PublishedPolicy): string[] {
  const set = variables.length === 0 ? [] : [`policy: with what the environment sets: ${variables.join(', ')}`];
  const odd = warnings.map(({ kind, place, message, fix }) => {
    const hint = fix === null ? '' : ` (${fix})`;
    return escapeForDisplay(`policy: ${kind}${place === '' ? '' : ` at ${place}`}: ${message}${hint}`);
  });
  return [...set, ...odd];
}
