/** Deny and ask rules that a command may meet once the running shell fills in its words: `git $(echo push)`, `ls | xargs git`. */
import { expandBraces } from '../shell/braces.js';
import { commandRulesOf, type RuleIndex } from '../rules/rule-index.js';
import type { CompiledRule } from '../rules/compiled-rule.js';
import { compileWildcard, matchesWildcard } from '../rules/wildcard.js';
import { DANGEROUS_COMMANDS, isGitDanger } from '../shell/git-dangers.js';
import type { ShellCall, ShellPlan } from '../shell/plan.js';
import { globalsEnd } from '../shell/global-options.js';
import type { Piece, ShellWord } from '../shell/tree.js';
import { literalWord } from '../shell/word.js';

/** How often a variable is followed to what the script gives it. */
const MAX_STEPS = 4;

/** Calls `each` for every command rule of the tool whose first words those of a command may turn out to be, with that command. */
export function forRulesOfUnknownWords(
  index: RuleIndex,
  tool: string,
  plan: ShellPlan,
  each: (rule: CompiledRule, text: string) => void,
): void {
  for (const { program, args, text } of plan.calls) {
    if (program === null || program === '' || args.every((word) => word.literal)) continue;
    const plain = args.slice(globalsEnd(program, args));
    for (const rule of commandRulesOf(index, tool, program)) {
      if (rule.spec.kind !== 'command') continue;
      const { fixed } = rule.spec.command;
      if (mayBe(fixed, args, plan) || mayBe(fixed, plain, plan)) each(rule, text);
    }
  }
}

/** Does git get a subcommand that only the running shell knows, and may that be one whose allow must spell it out? */
export function mayBeGitDanger({ program, args }: ShellCall, plan: ShellPlan): boolean {
  if (program !== 'git') return false;
  const start = globalsEnd(program, args);
  const word = args[start];
  if (word === undefined || word.literal) return false;
  return DANGEROUS_COMMANDS.some((name) => {
    if (!mayBecome(word, name, plan, MAX_STEPS)) return false;
    return isGitDanger([...args.slice(0, start), literalWord(name), ...args.slice(start + 1)], start);
  });
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
  const plain = word.pieces.every(({ kind }) => kind === 'literal' || kind === 'brace');
  const opened = plain ? expandBraces(word.text) : null;
  if (opened !== null) return opened.includes(wanted);
  return matchesWildcard(compileWildcard(word.pieces.map(patternOf).join('')), wanted);
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
