/** Puts what the environment sets over a policy document. */
import { policyDocumentSchema, type PolicyDocument, type RuleInput, type RuleSource } from '@countersign/contracts';
import { presetData } from '../policy/presets/index.js';
import { ENVIRONMENT_VARIABLES, policyFromEnvironment, type EnvironmentProblem } from './environment.js';
import { mergePolicies } from './merge-policies.js';

/** The document with the environment's layer on top, and the names of the variables that were read. */
export type WithEnvironment =
  | { readonly ok: true; readonly document: PolicyDocument; readonly used: readonly string[] }
  | { readonly ok: false; readonly problems: readonly EnvironmentProblem[] };

/** Options of a document that say the same as a field which a variable sets. */
const OPTION_OF_LIMIT = { inARow: 'denialMaxConsecutive', total: 'denialMaxTotal' } as const;

/**
 * Lays the environment over a document: its rules stand first, with source `managed`, and its single values take the place of the
 * document's. Rules that an earlier environment left in the document are taken out first, so that doing it twice is doing it once.
 * Not ok: any variable that cannot be read, since a deny that was meant must not be lost.
 */
export function withEnvironment(
  document: PolicyDocument,
  variables: Readonly<Record<string, string | undefined>>,
): WithEnvironment {
  const read = policyFromEnvironment(variables);
  if (!read.ok) return read;
  const used = ENVIRONMENT_VARIABLES.filter((name) => (variables[name] ?? '').trim() !== '');
  const own = withoutEnvironment(document);
  if (used.length === 0) return { ok: true, document: own, used };
  const options = { ...own.options };
  for (const limit of ['inARow', 'total'] as const) {
    if (read.policy.breaker?.[limit] !== undefined) Reflect.deleteProperty(options, OPTION_OF_LIMIT[limit]);
  }
  const merged = mergePolicies([
    { source: 'managed', policy: read.policy },
    { source: 'managed', policy: { ...withSources(own), options } },
  ]);
  return { ok: true, document: policyDocumentSchema.parse(merged), used };
}

/** The document without the rules that an environment brought; the document itself when there are none. */
function withoutEnvironment(document: PolicyDocument): PolicyDocument {
  const lists = [document.deny, document.ask, document.allow];
  if (!lists.some((list) => list.some(isOfEnvironment))) return document;
  const [deny = [], ask = [], allow = []] = lists.map((list) => list.filter((rule) => !isOfEnvironment(rule)));
  return { ...document, deny, ask, allow };
}

function isOfEnvironment(rule: RuleInput): boolean {
  const names: readonly string[] = ENVIRONMENT_VARIABLES;
  return typeof rule !== 'string' && rule.source === 'managed' && names.includes(rule.origin ?? '');
}

/** Every rule with the source that the preset would give it, so that merging gives it no stronger one. */
function withSources(document: PolicyDocument): PolicyDocument {
  const source = presetData(document.preset)?.defaultSource ?? 'user';
  const given = (rules: readonly RuleInput[]) => rules.map((rule) => withSource(rule, source));
  return { ...document, deny: given(document.deny), ask: given(document.ask), allow: given(document.allow) };
}

function withSource(rule: RuleInput, source: RuleSource): RuleInput {
  const object = typeof rule === 'string' ? { rule } : rule;
  return { ...object, source: object.source ?? source };
}
