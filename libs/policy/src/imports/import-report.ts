/** What every import gives: the part of a policy that it could make, and an account of each thing that it met. */
import type { Effect, PolicyInput, RuleInput, RuleSource } from '@countersign/contracts';
import { quoted, type Place } from '../documents/text-node.js';

/** A file to import. `fileName` is what the report names; `source` is given to its rules. */
export interface ImportFile {
  readonly fileName: string;
  readonly text: string;
  readonly source: RuleSource;
}

/** Something that has the same effect here. `as` are the rules or settings that carry it. */
export interface MappedItem {
  readonly where: string;
  readonly what: string;
  readonly as: readonly string[];
}

/** Something that has no exact counterpart. `safe` says what happens instead, which is never looser. */
export interface UnmappedItem {
  readonly where: string;
  readonly what: string;
  readonly why: string;
  readonly safe: string;
}

export interface ImportReport {
  readonly mapped: readonly MappedItem[];
  readonly notMapped: readonly UnmappedItem[];
}

/** `policy` is meant for presets in which deny beats ask beats allow and what no rule settles is asked about (`standard`). */
export interface ImportResult {
  readonly policy: PolicyInput;
  readonly report: ImportReport;
}

/** An import in the making. */
export interface Draft {
  readonly rules: Record<Effect, RuleInput[]>;
  readonly seen: Set<string>;
  readonly mapped: MappedItem[];
  readonly notMapped: UnmappedItem[];
}

/** Longest rule that the schema takes. */
const MAX_RULE_LENGTH = 2_000;

export function startDraft(): Draft {
  return { rules: { deny: [], ask: [], allow: [] }, seen: new Set(), mapped: [], notMapped: [] };
}

/** The finished import; `settings` are the single values that it sets. */
export function finishDraft(draft: Draft, settings: PolicyInput = {}): ImportResult {
  return {
    policy: { ...settings, ...draft.rules },
    report: { mapped: draft.mapped, notMapped: draft.notMapped },
  };
}

/** Where a thing stands, as `file:line:column`. */
export function whereOf(file: ImportFile, at: Place): string {
  return `${file.fileName}:${String(at.line)}:${String(at.column)}`;
}

/** A rule to be added. */
export interface NewRule {
  readonly effect: Effect;
  readonly pattern: string;
  readonly source: RuleSource;
  readonly where: string;
  readonly reason?: string | undefined;
  readonly match?: readonly string[];
  readonly notMatch?: readonly string[];
}

/** Adds a rule once per source. A rule too long for the schema becomes an ask on its tool, or nothing if it allows. */
export function addRule(draft: Draft, rule: NewRule): void {
  if (rule.pattern.length > MAX_RULE_LENGTH) {
    addTooLong(draft, rule);
    return;
  }
  const key = JSON.stringify([rule.effect, rule.source, rule.pattern]);
  if (draft.seen.has(key)) return;
  draft.seen.add(key);
  draft.rules[rule.effect].push({
    rule: rule.pattern,
    source: rule.source,
    origin: rule.where,
    ...(rule.reason === undefined || rule.reason === '' ? {} : { reason: rule.reason.slice(0, 2_000) }),
    ...(rule.match && rule.match.length > 0 ? { match: [...rule.match] } : {}),
    ...(rule.notMatch && rule.notMatch.length > 0 ? { notMatch: [...rule.notMatch] } : {}),
  });
}

function addTooLong(draft: Draft, rule: NewRule): void {
  const name = /^[^\s(),]{1,200}/.exec(rule.pattern)?.[0] ?? '*';
  const safe = rule.effect === 'allow' ? ASKS : `every call of ${quoted(name)} asks`;
  notMapped(draft, { where: rule.where, what: quoted(rule.pattern), why: 'the rule is too long', safe });
  if (rule.effect !== 'allow') addRule(draft, { ...rule, effect: 'ask', pattern: name });
}

/** Notes an exact counterpart. */
export function mapped(draft: Draft, item: MappedItem): void {
  draft.mapped.push(item);
}

/** Notes that something has no exact counterpart. */
export function notMapped(draft: Draft, item: UnmappedItem): void {
  draft.notMapped.push(item);
}

/** `safe` of an allow that is left out. */
export const ASKS = 'left out: such calls ask unless something else settles them';

/** A file that cannot be read may have held any deny: every call asks. */
export function unreadable(draft: Draft, file: ImportFile, at: Place, why: string): void {
  const where = whereOf(file, at);
  const reason = `${file.fileName} could not be read when it was imported`;
  addRule(draft, { effect: 'ask', pattern: '*', source: file.source, where, reason });
  notMapped(draft, { where, what: 'the whole file', why, safe: 'every call asks, since the file may hold denies' });
}
