/** Commands that do nothing but create, move or remove single files, so that a mode that allows edits may allow them. */
import type { ShellCall } from '../shell/plan.js';
import { isSafeVariable } from './environment.js';
import { hasFlag, sortArgs } from './flags.js';

const PROGRAMS = new Set(['mkdir', 'touch', 'cp', 'mv', 'rmdir', 'rm', 'tee', 'sed']);

/** True when every word is known and the only effect is on the files named. Recursive removal is none; sed only with `-i` and a plain `s`. */
export function isPlainEdit(call: ShellCall): boolean {
  if (call.program === null || !PROGRAMS.has(call.program) || call.name?.value !== call.program) return false;
  if (!call.args.every((word) => word.literal) || !call.assignments.every((one) => isSafeVariable(one.name)))
    return false;
  const { flags } = sortArgs(call.args, []);
  if (call.program === 'rm') return !hasFlag(flags, 'r', '--recursive') && !hasFlag(flags, 'R');
  return call.program !== 'sed' || isPlainSed(call);
}

function isPlainSed(call: ShellCall): boolean {
  const [flag, script] = call.args;
  if (flag === undefined || script === undefined || !/^(?:-i|--in-place)$/.test(flag.value)) return false;
  return /^s([/|,#])(?:(?!\1).)*\1(?:(?!\1).)*\1[gIip0-9]*$/.test(script.value) && !script.value.includes('\n');
}
