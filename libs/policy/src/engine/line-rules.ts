/** Rules about commands, held against one command and against whole lines. */
import { commandMatches } from '../rules/command-pattern.js';
import type { CompiledRule, RuleSpec } from '../rules/compiled-rule.js';
import { matchesRegex } from '../rules/regex-pattern.js';
import { linesOf } from '../shell/lines.js';
import type { ShellPlan } from '../shell/plan.js';
import type { Judgement, LineText } from './judgement.js';
import type { RuleListener } from './rule-listener.js';

/** Does a rule about commands speak of this text? */
export function speaksOfCommand(spec: RuleSpec, text: string): boolean {
  if (spec.kind === 'command') return commandMatches(spec.command, text);
  return spec.kind === 'regex' && matchesRegex(spec.regex, text);
}

/**
 * Rules that no command has met surely are held against whole lines: `curl * | sh` also holds for a pipe that stands in a longer line,
 * in brackets, or behind `sh -c`.
 */
export function forLineRules(judgement: Judgement, open: ReadonlySet<CompiledRule>, listen: RuleListener): void {
  judgement.lineTexts ??= lineTextsOf(judgement.analysis.plan);
  for (const { text, sure } of judgement.lineTexts) {
    // A listener may take the rule out of the set, which a loop over a set allows.
    for (const rule of open) if (speaksOfCommand(rule.spec, text)) listen(rule, text, sure);
  }
}

function lineTextsOf(plan: ShellPlan | null): LineText[] {
  const out: LineText[] = [];
  for (const { rows, wholes, foreign } of plan?.lines ?? []) {
    for (const text of linesOf(rows)) out.push({ text, sure: !foreign });
    for (const text of wholes) out.push({ text, sure: !foreign });
  }
  return out;
}
