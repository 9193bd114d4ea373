/** Changes of what the whole machine rests on: rights of system folders, accounts, kernel switches. */
import type { ShellCall } from '../../shell/plan.js';
import type { ShellWord } from '../../shell/tree.js';
import { hasFlag, sortArgs } from '../flags.js';
import type { DangerScene } from './families.js';
import { isHome, targetsOf } from './targets.js';

const RIGHTS = new Set(['chmod', 'chown', 'chgrp', 'setfacl', 'chattr', 'setcap']);
const FOUNDATION =
  /^\/(?:|bin|boot|dev|etc|lib|lib32|lib64|proc|root|sbin|sys|usr|usr\/bin|usr\/sbin|usr\/lib|var|home|System|Library|Users)$/;
const ACCOUNTS =
  /^\/etc\/(?:passwd|shadow|gshadow|group|sudoers|sudoers\.d\/.*|ld\.so\.preload|pam\.d\/.*|crypttab)$|^\/boot(?:\/|$)|^\/proc\/(?:sysrq-trigger|sys\/.*)$/;

/** True when rights of a system folder, or a file that decides who may do what, would change. */
export function isSystemChange(call: ShellCall, scene: DangerScene): boolean {
  return changesRights(call, scene) || changesAccounts(call, scene);
}

function changesRights(call: ShellCall, scene: DangerScene): boolean {
  const { program } = call;
  if (program === null || !RIGHTS.has(program)) return false;
  const { flags, operands } = sortArgs(call.args, program === 'setfacl' ? ['-m', '-x', '-M', '-X'] : []);
  const given = flags.includes('--reference') || program === 'setfacl' ? 0 : 1;
  const deep = hasFlag(flags, 'R', '--recursive');
  return operands
    .slice(given)
    .some((word) =>
      targetsOf(word, call, scene).some(
        ({ path, all }) =>
          (FOUNDATION.test(path) && (deep || all || opens(operands[0]))) ||
          ACCOUNTS.test(path) ||
          (deep && isHome(path, scene) && opens(operands[0])),
      ),
    );
}

/** Rights for everybody, or for nobody. */
function opens(mode: ShellWord | undefined): boolean {
  return /^0?[0-7]?(?:777|666|000)$|^(?:[augo]*[+=][rwxXst]*w|a-|ugo-)/.test(mode?.value ?? '');
}

function changesAccounts(call: ShellCall, scene: DangerScene): boolean {
  const { operands, redirects } = call;
  if (operands === null && redirects.length === 0) return false;
  const words: ShellWord[] = [];
  for (const { access, word } of operands ?? []) if (access === 'write') words.push(word);
  for (const { access, target } of redirects) if (access === 'write' && target !== null) words.push(target);
  return words.some((word) => targetsOf(word, call, scene).some(({ path }) => ACCOUNTS.test(path)));
}
