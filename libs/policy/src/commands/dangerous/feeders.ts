/** Which commands of a line feed a command through a pipe. */
import type { ShellCall, ShellPlan } from '../../shell/plan.js';

/** The calls in front of this one in its pipe, those inside substitutions and groups included. */
export function feedersOf(call: ShellCall, plan: ShellPlan): readonly ShellCall[] {
  if (call.input.kind !== 'pipe') return [];
  return plan.calls.slice(call.input.from, plan.calls.indexOf(call));
}
