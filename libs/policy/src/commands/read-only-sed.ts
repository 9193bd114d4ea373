/** sed programs that only print. */
import type { ShellWord } from '../shell/tree.js';

const ADDRESS = String.raw`(?:\d+|\$|/[^/\\\n]*/)`;
const PRINT = new RegExp(`^${ADDRESS}(?:,(?:${ADDRESS}|\\+\\d+))?[pdq=]$|^[p=]$`);

/** True for `sed -n '1,80p' file` and the like: printing commands only, no file but those read. */
export function isReadOnlySed(args: readonly ShellWord[]): boolean {
  const flags = args.filter((word) => word.value.startsWith('-'));
  if (!flags.every((word) => /^-[nEru]+$/.test(word.value))) return false;
  const script = args.find((word) => !word.value.startsWith('-'));
  return script?.literal === true && script.value.split(';').every((command) => PRINT.test(command.trim()));
}
