/** Recursive deletes of what must not go: the file system's root, system folders, homes, and whole workspaces above the roots. */
import { canonicalPath, isInside, joinGiven } from '../../paths/normalise.js';
import type { ShellCall } from '../../shell/plan.js';
import { pathsOfWord } from '../../shell/word-paths.js';
import { hasFlag, sortArgs } from '../flags.js';
import type { DangerScene } from './families.js';

// prettier-ignore
const SYSTEM = new Set([
  '/', '/bin', '/boot', '/dev', '/etc', '/home', '/lib', '/lib64', '/opt', '/proc', '/root', '/sbin', '/srv', '/sys',
  '/usr', '/usr/bin', '/usr/lib', '/usr/local', '/var', '/Users', '/System', '/Library', '/Applications', '/Volumes',
  '/mnt', '/media', '/private', '/c', '/c/Windows', '/c/Users',
]);

/** True for `rm -r` (in any spelling), and `find -delete`, on such a folder or on all that is in it. */
export function isRecursiveDelete(call: ShellCall, scene: DangerScene): boolean {
  if (call.program === 'find')
    return call.args.some((word) => word.value === '-delete') && targets(call, scene, findStarts(call));
  if (call.program !== 'rm') return false;
  const { flags, operands } = sortArgs(call.args, []);
  const recursive = hasFlag(flags, 'r', '--recursive') || hasFlag(flags, 'R');
  return recursive && targets(call, scene, operands);
}

function findStarts(call: ShellCall): ShellCall['args'] {
  const end = call.args.findIndex((word) => word.value.startsWith('-'));
  return end < 0 ? call.args : call.args.slice(0, end);
}

function targets(call: ShellCall, scene: DangerScene, words: ShellCall['args']): boolean {
  return words.some((word) => pathsOfWord(word, scene.home).some((path) => isCritical(path, call, scene)));
}

/** All that is in a folder is as good as the folder: `x/*` is `x/`, `*` is `.`. */
function folderOf(path: string): string {
  return path.replace(/(^|\/)(?:\*|\.\*)$/, (_all, slash: string) => (slash === '' ? '.' : '/'));
}

function isCritical(path: string | null, call: ShellCall, scene: DangerScene): boolean {
  if (path === null) return false;
  const folders = (call.cwds ?? [null]).map((cwd) => joinGiven(cwd, folderOf(path)));
  return folders.some((folder) => {
    const target = folder === null ? null : canonicalPath(folder);
    if (target === null) return false;
    if (SYSTEM.has(target) || target === scene.home) return true;
    // A folder that holds a root, or the user's home, is never build output.
    return (
      scene.roots.some((root) => root !== target && isInside(root, target)) ||
      (scene.home !== null && isInside(scene.home, target))
    );
  });
}
