/** Writing to block devices, and programs that format or partition them. */
import type { ShellCall } from '../../shell/plan.js';
import type { ShellWord } from '../../shell/tree.js';
import { isInside } from '../../paths/normalise.js';
import { isFlag } from '../flags.js';
import type { DangerScene } from './families.js';
import { isOutside, targetsOf } from './targets.js';

const FORMATTERS =
  /^(?:mkfs(?:\..+)?|mke2fs|mkswap|wipefs|fdisk|sfdisk|gdisk|sgdisk|parted|cfdisk|blkdiscard|hdparm|cryptsetup|badblocks)$/;
/** Those that also make a file system in a plain file. */
const MAKERS = /^(?:mkfs(?:\..+)?|mke2fs)$/;
const DEVICE = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper\/|dm-|md|loop|ram|mem$|kmem$|port$)/;

/** True when a disk, a partition or the memory would be written. */
export function isDeviceWrite(call: ShellCall, scene: DangerScene): boolean {
  if (call.program !== null && FORMATTERS.test(call.program)) return !formatsFile(call, scene);
  if (call.redirects.some((redirect) => redirect.access === 'write' && DEVICE.test(redirect.target?.value ?? '')))
    return true;
  return call.operands?.some((operand) => operand.access === 'write' && DEVICE.test(operand.word.value)) === true;
}

/** A file system made inside a file of the agent's own folders; without any file it is not known what would be formatted. */
function formatsFile(call: ShellCall, scene: DangerScene): boolean {
  if (!MAKERS.test(call.program ?? '') || !call.args.every((word) => word.literal)) return false;
  const words = call.args.filter((word) => !isFlag(word));
  return words.length > 0 && words.every((word) => liesInRoots(word, call, scene));
}

function liesInRoots(word: ShellWord, call: ShellCall, scene: DangerScene): boolean {
  const targets = targetsOf(word, call, scene);
  return targets.length > 0 && targets.every(({ path }) => !isInside(path, '/dev') && !isOutside(path, scene));
}
