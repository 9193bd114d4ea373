/** Layer 7: allow rules, grants, and what is harmless by its nature. Every part needs its own cover. */
import { isLoadingVariable, isSafeVariable } from '../../commands/environment.js';
import { isHarmlessDevice } from '../../paths/sensitive.js';
import type { RuleIndex } from '../../rules/rule-index.js';
import type { CompiledRule } from '../../rules/compiled-rule.js';
import type { ShellCall } from '../../shell/plan.js';
import { coverAll, isPart } from '../cover.js';
import { commandRule, exactLineRule, onceGrant, pathRule, wholeToolRule } from '../coverage.js';
import { allowIndexes } from '../grants.js';
import { addMatch, addRuleMatch, type Judgement } from '../judgement.js';

export function allowLayer(judgement: Judgement): void {
  coverHarmless(judgement);
  for (const index of allowIndexes(judgement)) {
    if (index.size > 0) coverByRules(judgement, index);
  }
  const grant = onceGrant(judgement);
  if (grant !== null) {
    addMatch(judgement, {
      layer: 'allow',
      effect: 'allow',
      ruleId: `grant:${grant.id}`,
      reason: 'approved for this exact call',
    });
    coverAll(judgement.cover);
  }
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
  // A variable set earlier in the line may change what every program after it does.
  const tainted =
    analysis.plan?.calls.some((call) => call.assignments.some((one) => isLoadingVariable(one.name))) === true;
  if (analysis.plan?.calls.length === 0) allow(judgement, 'command.no_program', 'starts no program', null);
  analysis.plan?.calls.forEach((call, number) => {
    if (tainted || cover.calls[number] === 'deep') return;
    if (call.program === '') {
      allow(judgement, 'command.no_program', 'starts no program', call.source);
      cover.calls[number] = 'self';
    } else if (judgement.readOnly[number] === true && call.assignments.every((one) => isSafeVariable(one.name))) {
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
    judgement.paths.forEach((path, place) => (cover.paths[place] ||= path.use.origin === 'argument'));
  }
  const line = analysis.plan === null ? null : exactLineRule(judgement, index);
  if (line !== null) {
    addRuleMatch(judgement, 'allow', line, null);
    coverAll(cover);
  }
  judgement.paths.forEach((path, place) => {
    const rule = isPart(path) ? pathRule(judgement, index, path) : null;
    if (rule === null) return;
    addRuleMatch(judgement, 'allow', rule, path.use.text);
    cover.paths[place] = true;
  });
  analysis.plan?.calls.forEach((call, number) => coverCall(judgement, index, call, number));
}

function coverCall(judgement: Judgement, index: RuleIndex, call: ShellCall, number: number): void {
  const rule = commandRule(judgement, index, call);
  if (rule === null) return;
  addRuleMatch(judgement, 'allow', rule, call.source);
  const { cover } = judgement;
  if (cover.calls[number] !== 'deep') cover.calls[number] = reachesInner(rule, judgement, call) ? 'deep' : 'self';
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
