/** Deletes of what must not go: the file system's root, system folders, homes, whole workspaces above the roots, keys. */
import type { ShellCall } from '../../shell/plan.js';
import type { ShellWord } from '../../shell/tree.js';
import { hasFlag, sortArgs } from '../flags.js';
import { findStarts } from '../programs/files.js';
import type { DangerScene } from './families.js';
import { isCriticalFolder, isHome, isSystemFolder, targetsOf } from './targets.js';

const SINGLE = new Set(['rm', 'unlink', 'shred']);
const WHOLE = new Set(['rimraf', 'trash', 'srm', 'del-cli']);

/** True for `rm -r` (in any spelling), and `find -delete`, on such a folder or on all that is in it, and for moving one away. */
export function isRecursiveDelete(call: ShellCall, scene: DangerScene): boolean {
  const { program, args } = call;
  if (program === 'find') return deletesAll(args) && reaches(call, scene, startsOf(args));
  if (program === 'mv') return movesAway(call, scene);
  return program !== null && (SINGLE.has(program) || WHOLE.has(program)) && deletes(call, scene);
}

function deletes(call: ShellCall, scene: DangerScene): boolean {
  const { flags, operands } = sortArgs(call.args, call.program === 'shred' ? ['-n', '-s'] : []);
  const recursive = WHOLE.has(call.program ?? '') || hasFlag(flags, 'r', '--recursive') || hasFlag(flags, 'R');
  if (recursive) return reaches(call, scene, operands);
  // Without a flag only single files go, but a listing of everything below names them all.
  return operands.some(
    (word) =>
      word.pieces.some((piece) => piece.kind === 'dynamic' || piece.kind === 'variable') &&
      targetsOf(word, call, scene).some((target) => target.all && isCriticalFolder(target.path, scene)),
  );
}

function startsOf(args: readonly ShellWord[]): ShellWord[] {
  return findStarts(args).map((operand) => operand.word);
}

/** Without a test of names, times or sizes. */
function deletesAll(args: readonly ShellWord[]): boolean {
  if (!args.some((word) => word.value === '-delete')) return false;
  return args.every(
    (word) =>
      !/^-[a-z]/.test(word.value) || /^-(?:delete|mindepth|maxdepth|type|xdev|mount|depth|print0?)$/.test(word.value),
  );
}

function reaches(call: ShellCall, scene: DangerScene, words: readonly ShellWord[]): boolean {
  return words.some((word) => targetsOf(word, call, scene).some((target) => isCriticalFolder(target.path, scene)));
}

/** `mv /etc x`, `mv / /dev/null`: the folder is gone from its place. */
function movesAway(call: ShellCall, scene: DangerScene): boolean {
  const { operands } = sortArgs(call.args, ['-t', '--target-directory', '-S', '--suffix']);
  const moved = operands.slice(0, -1);
  return moved.some((word) =>
    targetsOf(word, call, scene).some((target) => isSystemFolder(target.path) || isHome(target.path, scene)),
  );
}
