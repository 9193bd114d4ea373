/** Layer 7: allow rules, grants, and what is harmless by its nature. Every part needs its own cover. */
import { isSafeAssignment, taintsLater } from '../../commands/environment.js';
import { isHarmlessDevice } from '../../paths/sensitive.js';
import type { RuleIndex } from '../../rules/rule-index.js';
import type { CompiledRule } from '../../rules/compiled-rule.js';
import type { ShellCall } from '../../shell/plan.js';
import { callRule } from '../call-cover.js';
import { coverAll, isPart } from '../cover.js';
import { commandRule, exactGrants, exactLineRule, pathRule, wholeToolRule } from '../coverage.js';
import { allowIndexes } from '../grants.js';
import { addMatch, addRuleMatch, type Judgement } from '../judgement.js';
import { answerByPlace } from '../place.js';
import { coverExceptions } from './exceptions.js';

export function allowLayer(judgement: Judgement): void {
  const byCall = judgement.policy.preset.coverage === 'call';
  if (!byCall) coverHarmless(judgement);
  coverExceptions(judgement);
  allowByRules(judgement, byCall);
  const [grant] = exactGrants(judgement);
  if (grant !== undefined) {
    addMatch(judgement, {
      layer: 'allow',
      effect: 'allow',
      ruleId: `grant:${grant.id}`,
      reason: 'approved for this exact call',
    });
    coverAll(judgement.cover);
  }
}

function allowByRules(judgement: Judgement, byCall: boolean): void {
  const { combining } = judgement.policy.preset;
  if (combining.by === 'place') {
    const winner = answerByPlace(judgement, combining.sources, coverByRules);
    if (winner?.effect === 'allow') coverAll(judgement.cover);
    return;
  }
  for (const index of allowIndexes(judgement)) {
    if (index.size === 0) continue;
    if (byCall) allowCall(judgement, index);
    else coverByRules(judgement, index);
  }
}

/** A rule about the call as a whole. */
function allowCall(judgement: Judgement, index: RuleIndex): void {
  const rule = callRule(judgement, index);
  if (rule !== null) addRuleMatch(judgement, 'allow', rule, null);
}

function coverHarmless(judgement: Judgement): void {
  const { analysis, cover } = judgement;
  if (analysis.entry.harmless === true) {
    allow(judgement, 'tool.harmless', 'touches nothing outside of the conversation', null);
    cover.tool = true;
  }
  judgement.paths.forEach((path, place) => {
    if (path.lexical !== null && isHarmlessDevice(path.lexical)) cover.paths[place] = true;
  });
  if (judgement.unclear || judgement.policy.preset.commands.readOnly === null) return;
  if (judgement.modeEntry.asksReaders === true) return;
  // A variable set earlier in the line may change what every program after it does.
  const tainted = analysis.plan?.calls.some(taintsLater) === true;
  if (analysis.plan?.calls.length === 0) allow(judgement, 'command.no_program', 'starts no program', null);
  analysis.plan?.calls.forEach((call, number) => {
    if (tainted || cover.calls[number] === 'deep') return;
    if (call.program === '') {
      allow(judgement, 'command.no_program', 'starts no program', call.source);
      cover.calls[number] = 'self';
    } else if (judgement.readOnly[number] === true && call.assignments.every((one) => isSafeAssignment(call, one))) {
      allow(judgement, 'command.read_only', 'only reads', call.source);
      cover.calls[number] = 'self';
    }
  });
}

function allow(judgement: Judgement, ruleId: string, reason: string, subject: string | null): void {
  addMatch(judgement, { layer: 'allow', effect: 'allow', ruleId, reason, subject });
}

function coverByRules(judgement: Judgement, index: RuleIndex): void {
  const { analysis, cover } = judgement;
  const whole = wholeToolRule(judgement, index);
  if (whole !== null) {
    addRuleMatch(judgement, 'allow', whole, null);
    cover.tool = true;
    cover.calls.fill('deep');
    const redirects = judgement.policy.preset.commands.redirects === 'whole_tool';
    judgement.paths.forEach((path, place) => {
      if (path.use.origin === 'argument' || (redirects && path.use.origin === 'redirect')) cover.paths[place] = true;
    });
  }
  const line = analysis.plan === null ? null : exactLineRule(judgement, index);
  if (line !== null) {
    addRuleMatch(judgement, 'allow', line, null);
    if (judgement.policy.preset.commands.redirects === 'exact_line') coverAll(cover);
    else cover.calls.fill('deep');
  }
  judgement.paths.forEach((path, place) => {
    const rule = isPart(path) ? pathRule(judgement, index, path) : null;
    if (rule === null) return;
    addRuleMatch(judgement, 'allow', rule, path.use.text);
    cover.paths[place] = true;
  });
  if (!judgement.unclear) analysis.plan?.calls.forEach((call, number) => coverCall(judgement, index, call, number));
}

function coverCall(judgement: Judgement, index: RuleIndex, call: ShellCall, number: number): void {
  const rule = commandRule(judgement, index, call);
  if (rule === null) return;
  addRuleMatch(judgement, 'allow', rule, call.source);
  const { cover } = judgement;
  const deep = judgement.policy.preset.commands.deepWrappers.has(call.program ?? '');
  if (cover.calls[number] === 'deep') return;
  cover.calls[number] = deep || reachesInner(rule, judgement, call) ? 'deep' : 'self';
}

/** A rule that spells out the wrapper AND the program inside it covers both: `Bash(timeout 60 npm test *)`. */
function reachesInner(rule: CompiledRule, judgement: Judgement, call: ShellCall): boolean {
  if (rule.spec.kind !== 'command' || call.wrapper === null) return false;
  const { exact, whole } = rule.spec.command;
  const [only = -1, ...others] = call.inner;
  const inner = others.length === 0 ? judgement.analysis.plan?.calls[only] : undefined;
  return exact !== null || (inner !== undefined && spellsOut(whole.pieces[0] ?? '', call, inner));
}

/** Does the literal head of a pattern reach to the end of the inner program's name? */
function spellsOut(head: string, call: ShellCall, inner: ShellCall): boolean {
  if (inner.wrapper !== null || inner.name === null || !call.text.endsWith(inner.text)) return false;
  return head.length >= call.text.length - inner.text.length + inner.name.value.length;
}
