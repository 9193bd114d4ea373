/** Deny and ask rules that a command may meet once the running shell fills in its words: `git $(echo push)`, `ls | xargs git`. */
import { expandBraces } from '../shell/braces.js';
import { commandRulesOf, type RuleIndex } from '../rules/rule-index.js';
import type { CompiledRule } from '../rules/compiled-rule.js';
import { compileWildcard, matchesWildcard } from '../rules/wildcard.js';
import type { ShellCall, ShellPlan } from '../shell/plan.js';
import { globalsEnd } from '../shell/spellings.js';
import type { Piece, ShellWord } from '../shell/tree.js';

/** How often a variable is followed to what the script gives it. */
const MAX_STEPS = 4;

/** Calls `each` for every command rule of the tool whose first words the command's words may turn out to be. */
export function forRulesOfUnknownWords(
  index: RuleIndex,
  tool: string,
  { call, plan }: { readonly call: ShellCall; readonly plan: ShellPlan },
  each: (rule: CompiledRule) => void,
): void {
  const { program, args } = call;
  if (program === null || program === '' || args.every((word) => word.literal)) return;
  const plain = args.slice(globalsEnd(program, args));
  const speaks = (fixed: readonly string[]): boolean => mayBe(fixed, args, plan) || mayBe(fixed, plain, plan);
  for (const rule of commandRulesOf(index, tool, program)) {
    if (rule.spec.kind === 'command' && speaks(rule.spec.command.fixed)) each(rule);
  }
}

/** `fixed`: the rule's first words. Literal words must be these; one that is not decides, since it may be several words. */
function mayBe([, ...fixed]: readonly string[], args: readonly ShellWord[], plan: ShellPlan): boolean {
  const at = fixed.findIndex((wanted, place) => args[place]?.literal !== true || args[place]?.value !== wanted);
  const [wanted, word] = [fixed[at], args[at]];
  return wanted !== undefined && word !== undefined && !word.literal && mayBecome(word, wanted, plan, MAX_STEPS);
}

function mayBecome(word: ShellWord, wanted: string, plan: ShellPlan, steps: number): boolean {
  if (word.literal) return word.value.split(/\s/).includes(wanted);
  const [only] = word.pieces;
  if (word.pieces.length === 1 && only?.kind === 'variable') return variableMayBecome(only.name, wanted, plan, steps);
  const pattern = compileWildcard(word.pieces.map(patternOf).join(''));
  return matchesWildcard(pattern, wanted) || expandBraces(word.text)?.includes(wanted) === true;
}

/** A variable that the script gives known words is one of these. */
function variableMayBecome(name: string, wanted: string, plan: ShellPlan, steps: number): boolean {
  const binding = plan.bindings.get(name);
  if (binding === undefined || binding.unknown || binding.readers.length > 0 || steps === 0) return true;
  return binding.words.some((word) => mayBecome(word, wanted, plan, steps - 1));
}

/** Whatever the shell fills in may be anything. */
function patternOf(piece: Piece): string {
  return piece.kind === 'literal' ? piece.value.replace(/[\\*]/g, '\\$&') : '*';
}
