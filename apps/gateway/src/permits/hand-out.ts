/** The last step before an answer leaves: nothing allowed under a kill switch, and a permit for whoever asked for one. */
import { DoorError, type CallOutcome } from '@countersign/contracts';
import { withholdKilled, type HandOutPlace, type WithholdDeps } from '../kill/withhold.js';
import { makePermit, type PermitMakerDeps } from './permit-maker.js';

export interface HandOutDeps extends WithholdDeps {
  /** Null: this gateway has no key to sign with. */
  readonly permits: PermitMakerDeps | null;
}

/** `permit`: the client wants proof that its executor can check. */
export type HandOut = (outcome: CallOutcome, place: HandOutPlace, permit: boolean) => Promise<CallOutcome>;

/** Throws `permit.unavailable` when a permit is wanted and cannot be made. */
export function createHandOut(deps: HandOutDeps): HandOut {
  return async (outcome, place, permit) => {
    if (permit && deps.permits === null) throw new DoorError('permit.unavailable');
    const told = await withholdKilled(outcome, place, deps);
    if (!permit || deps.permits === null || told.decision !== 'allow') return told;
    const made = await makePermit(told, place, deps.permits);
    // Its decision was recorded elsewhere, for instance under another session: without a record there is no permit.
    if (made === null) throw new DoorError('permit.unavailable', 'the decision of this call is not on record');
    return { ...told, permit: made };
  };
}
