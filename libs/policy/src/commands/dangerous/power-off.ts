/** Stopping or restarting the machine. */
import type { ShellCall } from '../../shell/plan.js';

const PROGRAMS = new Set(['shutdown', 'reboot', 'halt', 'poweroff']);
const UNITS = /^(?:reboot|poweroff|halt|kexec|soft-reboot|suspend|hibernate|hybrid-sleep)(?:\.target)?$/;

/** True for `shutdown` and its kin, `systemctl reboot`, `init 0`. */
export function isPowerOff(call: ShellCall): boolean {
  const { program, args } = call;
  if (program === null) return false;
  if (PROGRAMS.has(program)) return true;
  if (program === 'systemctl') return args.some((word) => UNITS.test(word.value));
  return (program === 'init' || program === 'telinit') && args.some((word) => /^[06]$/.test(word.value));
}
