/** Rules weighed by the place they are written in: the first that speaks, source by source and backwards inside each, answers. */
import type { Effect, Layer, Match, RuleSource } from '@countersign/contracts';
import type { CompiledRule } from '../rules/compiled-rule.js';
import {
  commandText,
  forCommandRules,
  forDomainRules,
  forPathRules,
  forToolRules,
  indexRules,
  type RuleIndex,
} from '../rules/rule-index.js';
import { gapsOf, openCover } from './cover.js';
import { allowIndexes } from './grants.js';
import { addRuleMatch, type Judgement } from './judgement.js';
import { forTighteningRules } from './rule-matching.js';

/** A rule that speaks of the call. `effect` may be milder than the rule's: a deny that is not surely meant asks. */
interface Speaker {
  readonly rule: CompiledRule;
  readonly effect: Effect;
  readonly subject: string | null;
}

/** Marks in the judgement's cover what the rules of an index allow. */
export type CoverByRules = (judgement: Judgement, index: RuleIndex) => void;

const LAYER_OF: Readonly<Record<Effect, Layer>> = { deny: 'hard-deny', ask: 'ask', allow: 'allow' };
const STRICTNESS: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

/**
 * Adds what the winning rule says, and keeps what the others say as overridden. Denies and asks speak when any part of the
 * call is meant; an allow only when it covers every part, so that a chain is never carried by one of its links.
 */
export function answerByPlace(
  judgement: Judgement,
  sources: readonly RuleSource[],
  coverByRules: CoverByRules,
): Speaker | null {
  const speakers = [...tightening(judgement), ...allowing(judgement, coverByRules)];
  const [first, ...others] = speakers.sort((left, right) => before(left, right, sources));
  if (first === undefined) return null;
  for (const other of others) if (other.rule !== first.rule) keepOverridden(judgement, other);
  addSpeaker(judgement, first);
  return first;
}

function before(left: Speaker, right: Speaker, sources: readonly RuleSource[]): number {
  const bySource = placeOf(left, sources) - placeOf(right, sources);
  if (bySource !== 0) return bySource;
  const byOrder = right.rule.rule.order - left.rule.rule.order;
  return byOrder === 0 ? STRICTNESS[right.effect] - STRICTNESS[left.effect] : byOrder;
}

/** A source that the preset does not read in turn comes first when it tightens and last when it allows. */
function placeOf(speaker: Speaker, sources: readonly RuleSource[]): number {
  const place = sources.indexOf(speaker.rule.rule.source);
  if (place >= 0) return place;
  return speaker.effect === 'allow' ? sources.length : -1;
}

function tightening(judgement: Judgement): Speaker[] {
  const out: Speaker[] = [];
  for (const set of judgement.ruleSets) {
    forTighteningRules(judgement, set.deny, (rule, subject, sure) =>
      out.push({ rule, effect: sure ? 'deny' : 'ask', subject }),
    );
    forTighteningRules(judgement, set.ask, (rule, subject) => out.push({ rule, effect: 'ask', subject }));
  }
  return out;
}

function allowing(judgement: Judgement, coverByRules: CoverByRules): Speaker[] {
  const out: Speaker[] = [];
  for (const index of allowIndexes(judgement)) {
    for (const rule of candidates(judgement, index)) {
      if (coversAll(judgement, rule, coverByRules)) out.push({ rule, effect: 'allow', subject: null });
    }
  }
  return out;
}

function candidates(judgement: Judgement, index: RuleIndex): Set<CompiledRule> {
  const { call, analysis } = judgement;
  const out = new Set<CompiledRule>();
  const add = (rule: CompiledRule): void => void out.add(rule);
  forToolRules(index, call.tool, analysis.entry, add);
  forDomainRules(index, { tool: call.tool, entry: analysis.entry, hosts: null }, add);
  if (analysis.command !== null) forCommandRules(index, call.tool, commandText(analysis.command.trim()), add);
  for (const command of analysis.plan?.calls ?? []) forCommandRules(index, call.tool, commandText(command.text), add);
  for (const path of judgement.paths) {
    forPathRules(path.use.access === 'write' ? index.paths.Edit : index.paths.Read, path.lexical, add);
  }
  return out;
}

const alone = new WeakMap<CompiledRule, RuleIndex>();

function coversAll(judgement: Judgement, rule: CompiledRule, coverByRules: CoverByRules): boolean {
  const index = alone.get(rule) ?? indexRules([rule]);
  alone.set(rule, index);
  const { calls, paths } = judgement.cover;
  const trial: Judgement = { ...judgement, matches: [], cover: openCover(calls.length, paths.length) };
  coverByRules(trial, index);
  return trial.matches.length > 0 && gapsOf(trial).length === 0;
}

function addSpeaker(judgement: Judgement, { rule, effect, subject }: Speaker): void {
  const spoken = effect === rule.rule.effect ? rule : { ...rule, rule: { ...rule.rule, effect } };
  addRuleMatch(judgement, LAYER_OF[effect], spoken, subject);
}

function keepOverridden(judgement: Judgement, speaker: Speaker): void {
  const matches: Match[] = [];
  addSpeaker({ ...judgement, matches }, speaker);
  judgement.overridden.push(...matches);
}
