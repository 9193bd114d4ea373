/** Rules about commands, held against one command and against whole lines. */
import { commandMatches } from '../rules/command-pattern.js';
import type { CompiledRule, RuleSpec } from '../rules/compiled-rule.js';
import { matchesRegex } from '../rules/regex-pattern.js';
import { linesOf } from '../shell/lines.js';
import type { ShellPlan } from '../shell/plan.js';
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
export function forLineRules(open: ReadonlySet<CompiledRule>, plan: ShellPlan, listen: RuleListener): void {
  for (const { rows, wholes, foreign } of plan.lines) {
    for (const text of [...linesOf(rows), ...wholes]) forLine(open, text, (rule) => listen(rule, text, !foreign));
  }
}

/** A listener may take the rule out of the set, which a loop over a set allows. */
function forLine(open: ReadonlySet<CompiledRule>, text: string, each: (rule: CompiledRule) => void): void {
  for (const rule of open) if (speaksOfCommand(rule.spec, text)) each(rule);
}
