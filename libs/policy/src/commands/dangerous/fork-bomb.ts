/** Functions that start themselves in the background: `:(){ :|:& };:` and its spellings. */
import type { ShellCall } from '../../shell/plan.js';
import { feedersOf } from './feeders.js';
import type { DangerScene } from './families.js';

/** True when the call is a function of the script that feeds itself. */
export function isForkBomb(call: ShellCall, scene: DangerScene): boolean {
  if (call.program === null || call.program === '' || !scene.plan.functions.includes(call.program)) return false;
  return feedersOf(call, scene.plan).some((feeder) => feeder.program === call.program);
}
