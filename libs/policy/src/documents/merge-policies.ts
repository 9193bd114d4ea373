/** Folds policy layers into one policy: lists join, single values come from the strongest layer that sets them. */
import { RULE_SOURCES, type PolicyInput, type RuleInput, type RuleSource } from '@countersign/contracts';

/** A policy or a part of one; `breaker` may be set field by field. */
export type PolicyFragment = Omit<PolicyInput, 'breaker'> & {
  breaker?: Partial<NonNullable<PolicyInput['breaker']>>;
};

/** One layer. Rules that name no source get the layer's; a rule can never claim a source above its layer's. */
export interface PolicyLayer {
  readonly source: RuleSource;
  readonly policy: PolicyFragment;
  /** False: a layer from a place that nobody vouched for; only its denies and asks count. Absent: true. */
  readonly trusted?: boolean;
}

const DEFAULT_BREAKER: NonNullable<PolicyInput['breaker']> = { inARow: 3, total: 20, counts: ['policy', 'person'] };

/**
 * One policy from layers, strongest first. deny, ask and allow hold every layer's rules, strongest first; `roots` and
 * `additionalDirectories` are joined; `options` and `breaker` are taken field by field; all else from the strongest layer that
 * sets it. INVARIANT: adding a layer never removes a deny or an ask.
 */
export function mergePolicies(layers: readonly PolicyLayer[]): PolicyInput {
  const trusted = layers.filter((layer) => layer.trusted !== false).map((layer) => layer.policy);
  const weakestFirst = [...trusted].reverse();
  const merged: PolicyFragment = Object.assign({}, ...weakestFirst.map(definedOnly)) as PolicyFragment;
  const { breaker: _partial, ...rest } = merged;
  const policy: PolicyInput = {
    ...rest,
    ...joinedLists(layers, trusted),
  };
  if (trusted.some((layer) => layer.options)) {
    policy.options = Object.assign({}, ...weakestFirst.map((layer) => layer.options ?? {})) as Record<string, unknown>;
  }
  if (trusted.some((layer) => layer.breaker)) {
    const fields = weakestFirst.map((layer) => definedOnly(layer.breaker ?? {}));
    policy.breaker = Object.assign({}, DEFAULT_BREAKER, ...fields) as NonNullable<PolicyInput['breaker']>;
  }
  return policy;
}

function joinedLists(layers: readonly PolicyLayer[], trusted: readonly PolicyFragment[]): Partial<PolicyInput> {
  const lists: Partial<PolicyInput> = {
    deny: layers.flatMap((layer) => owned(layer, layer.policy.deny)),
    ask: layers.flatMap((layer) => owned(layer, layer.policy.ask)),
    allow: layers.flatMap((layer) => (layer.trusted === false ? [] : owned(layer, layer.policy.allow))),
  };
  const roots = joined(trusted.map((layer) => layer.roots));
  const directories = joined(trusted.map((layer) => layer.additionalDirectories));
  if (roots.length > 0) lists.roots = roots;
  if (directories.length > 0) lists.additionalDirectories = directories;
  return lists;
}

function joined(lists: readonly (readonly string[] | undefined)[]): string[] {
  return [...new Set(lists.flatMap((list) => list ?? []))];
}

function owned(layer: PolicyLayer, rules: readonly RuleInput[] | undefined): RuleInput[] {
  return (rules ?? []).map((rule) => {
    const object = typeof rule === 'string' ? { rule } : rule;
    return { ...object, source: weaker(layer.source, object.source) };
  });
}

function weaker(layer: RuleSource, claimed: RuleSource | undefined): RuleSource {
  if (claimed === undefined) return layer;
  return RULE_SOURCES.indexOf(claimed) < RULE_SOURCES.indexOf(layer) ? layer : claimed;
}

function definedOnly<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Partial<T>;
}
