/** What the tests of dangerous commands see of a call, also where nobody told which folder is the home of the agent's user. */
import type { DangerScene } from '../commands/dangerous/families.js';
import { isFlag } from '../commands/flags.js';
import { isHomeExpansion } from '../commands/dangerous/targets.js';
import { decompose } from '../shell/decompose.js';
import type { ShellCall, ShellPlan } from '../shell/plan.js';
import type { ShellWord } from '../shell/tree.js';
import type { Judgement } from './judgement.js';

/** Stands for a home that nobody told: a folder of that name is no one's, and it lies where homes lie. */
const UNTOLD_HOME = '/home/~';

/**
 * The scene of a call with a command line; null without one. `rm -rf ~` deletes a home whichever folder that is, so where the home is
 * not known, a line that names it is read once more with a folder in its place. That reading is for dangers alone: it can only refuse.
 */
export function dangerScene(judgement: Judgement): DangerScene | null {
  const { analysis, bases, home } = judgement;
  const { plan } = analysis;
  if (plan === null) return null;
  // The session's own folder is a workspace too, also when no roots are given.
  const roots = bases.relative === null ? judgement.roots : [...judgement.roots, bases.relative];
  if (home !== null || analysis.entry.command?.shell !== 'posix' || !namesHome(plan)) return { plan, home, roots };
  const cwd = plan.calls[0]?.cwds?.[0] ?? null;
  const maxLength = judgement.policy.document.maxCommandLength;
  return { plan: decompose(plan.source, { maxLength, cwd, home: UNTOLD_HOME }), home: UNTOLD_HOME, roots };
}

/** `~`, `$HOME`, or a `cd` without a folder. */
function namesHome(plan: ShellPlan): boolean {
  if (plan.calls.some(callNamesHome)) return true;
  for (const { words } of plan.bindings.values()) if (words.some(wordNamesHome)) return true;
  return false;
}

const MOVES = new Set(['cd', 'chdir']);

function callNamesHome(call: ShellCall): boolean {
  if (MOVES.has(call.program ?? '') && call.args.every(isFlag)) return true;
  if (call.name !== null && wordNamesHome(call.name)) return true;
  if (call.args.some(wordNamesHome)) return true;
  return call.redirects.some(({ target }) => target !== null && wordNamesHome(target));
}

function wordNamesHome({ literal, pieces }: ShellWord): boolean {
  return !literal && pieces.some((piece) => piece.kind === 'home' || isHomeExpansion(piece));
}
