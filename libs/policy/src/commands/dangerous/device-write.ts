/** Writing to block devices, and programs that format or partition them. */
import type { ShellCall } from '../../shell/plan.js';
import { operandsOf } from '../operands.js';

const FORMATTERS =
  /^(?:mkfs(?:\..+)?|mke2fs|mkswap|wipefs|fdisk|sfdisk|gdisk|sgdisk|parted|cfdisk|blkdiscard|hdparm|cryptsetup|badblocks)$/;
const DEVICE = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper\/|dm-|md|loop|ram|mem$|kmem$|port$)/;

/** True when a disk, a partition or the memory would be written. */
export function isDeviceWrite(call: ShellCall): boolean {
  if (call.program !== null && FORMATTERS.test(call.program)) return true;
  if (call.redirects.some((redirect) => redirect.access === 'write' && DEVICE.test(redirect.target?.value ?? '')))
    return true;
  return operandsOf(call)?.some((operand) => operand.access === 'write' && DEVICE.test(operand.word.value)) === true;
}
