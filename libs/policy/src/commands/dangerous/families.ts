/** The table of dangerous commands: one family a file, each a pure test of one call in its plan. */
import type { ShellCall, ShellPlan } from '../../shell/plan.js';
import { isDeviceWrite } from './device-write.js';
import { coversTracks } from './cover-tracks.js';
import { isCredentialTheft } from './credential-theft.js';
import { isForkBomb } from './fork-bomb.js';
import { isForcedDelete } from './forced-delete.js';
import { isPowerOff } from './power-off.js';
import { isPrivilege } from './privilege.js';
import { isRecursiveDelete } from './recursive-delete.js';
import { isRemoteScript } from './remote-script.js';
import { isReverseShell } from './reverse-shell.js';
import { isSystemChange } from './system-change.js';

export const DANGER_FAMILIES = [
  'recursive-delete',
  'device-write',
  'fork-bomb',
  'remote-script',
  'privilege',
  'forced-delete',
  'power-off',
  'reverse-shell',
  'credential-theft',
  'cover-tracks',
  'system-change',
] as const;
export type DangerFamily = (typeof DANGER_FAMILIES)[number];

/** What a danger test sees besides the call. `home` and the roots are canonical. */
export interface DangerScene {
  readonly plan: ShellPlan;
  readonly home: string | null;
  readonly roots: readonly string[];
}

/** One family: what people are told, and the test. */
export interface Danger {
  readonly family: DangerFamily;
  readonly reason: string;
  readonly test: (call: ShellCall, scene: DangerScene) => boolean;
}

export const DANGERS: readonly Danger[] = [
  {
    family: 'recursive-delete',
    reason: 'deletes a folder that the machine or its user depends on',
    test: isRecursiveDelete,
  },
  { family: 'device-write', reason: 'writes to a disk or formats it', test: isDeviceWrite },
  { family: 'fork-bomb', reason: 'starts copies of itself without end', test: isForkBomb },
  { family: 'remote-script', reason: 'runs what a server sends', test: isRemoteScript },
  { family: 'privilege', reason: 'runs with the rights of another user', test: isPrivilege },
  { family: 'forced-delete', reason: 'deletes a whole folder without questions', test: isForcedDelete },
  { family: 'power-off', reason: 'stops or restarts the machine', test: isPowerOff },
  {
    family: 'reverse-shell',
    reason: 'hands a shell to whoever is at the other end of a connection',
    test: isReverseShell,
  },
  { family: 'credential-theft', reason: 'sends secrets out', test: isCredentialTheft },
  { family: 'cover-tracks', reason: 'wipes histories or logs', test: coversTracks },
  { family: 'system-change', reason: 'changes what the whole machine rests on', test: isSystemChange },
];
