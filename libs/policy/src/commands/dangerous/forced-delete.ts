/** Deletes of whole folders without questions, wherever they are: `rm -rf x` in any spelling. */
import type { ShellCall } from '../../shell/plan.js';
import { hasFlag, sortArgs } from '../flags.js';

/** True for `rm` with both a recursive and a force flag. Words that are known only when it runs may hold them too. */
export function isForcedDelete(call: ShellCall): boolean {
  if (call.program !== 'rm') return false;
  const { flags } = sortArgs(call.args, []);
  const recursive = hasFlag(flags, 'r', '--recursive') || hasFlag(flags, 'R');
  return recursive && hasFlag(flags, 'f', '--force');
}
