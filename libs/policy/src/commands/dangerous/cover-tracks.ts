/** Wiping what would tell afterwards: the shell's history, the system's logs. */
import type { ShellCall } from '../../shell/plan.js';
import type { ShellWord } from '../../shell/tree.js';
import { isInside } from '../../paths/normalise.js';
import type { DangerScene } from './families.js';
import { targetsOf } from './targets.js';

const HISTORY = /\/\.(?:bash|zsh|sh|python|mysql|psql|node_repl|lesshst|ash|ksh)_?hist(?:ory|file)?$|\/fish_history$/;
const LOGS = /^\/var\/(?:log|spool\/mail|mail)(?:\/|$)|^\/(?:var\/)?run\/utmp$/;
const WIPERS = new Set(['rm', 'shred', 'truncate', 'unlink', 'cp', 'mv', 'ln', 'dd', 'tee', 'sed', 'srm', '']);

/** True for `history -c`, and for deleting or overwriting histories and logs. Appending to a log wipes nothing. */
export function coversTracks(call: ShellCall, scene: DangerScene): boolean {
  if (call.program === 'history') return call.args.some((word) => /^-[a-zA-Z]*c/.test(word.value));
  const wipes = WIPERS.has(call.program ?? '');
  if (!wipes && call.redirects.length === 0) return false;
  const words = [...overwritten(call), ...(wipes ? written(call) : [])];
  return words.some((word) => targetsOf(word, call, scene).some(({ path }) => isTrack(path, scene)));
}

function isTrack(path: string, scene: DangerScene): boolean {
  if (scene.roots.some((root) => isInside(path, root) && LOGS.test(root))) return false;
  return HISTORY.test(path) || LOGS.test(path);
}

function overwritten(call: ShellCall): ShellWord[] {
  return call.redirects.flatMap(({ access, target, appends }) =>
    access === 'write' && appends !== true && target !== null ? [target] : [],
  );
}

function written(call: ShellCall): ShellWord[] {
  return (call.operands ?? []).filter((operand) => operand.access === 'write').map((operand) => operand.word);
}
