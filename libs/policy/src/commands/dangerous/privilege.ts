/** Running as somebody else. */
import type { ShellCall } from '../../shell/plan.js';

const PROGRAMS = new Set(['sudo', 'doas', 'pkexec', 'su', 'runuser', 'sudoedit', 'gosu', 'run0']);

/** True for sudo and its kin. */
export function isPrivilege(call: ShellCall): boolean {
  return call.program !== null && PROGRAMS.has(call.program);
}
