/** What the hooks of a call add to its decision. */
import type { CallInput } from '@countersign/approval';
import type { Facts } from '@countersign/contracts';
import type { HookedCall } from '../rounds/round-item.js';

/** The facts that the engine judges hooks by; nothing when none is registered for the call. */
export function hookFacts(hooked: HookedCall | undefined): Pick<Facts, 'hooks'> {
  return hooked === undefined || hooked.results.length === 0 ? {} : { hooks: [...hooked.results] };
}

/** What is recorded and handed out with the decision. */
export function hookedInput(
  hooked: HookedCall | undefined,
): Pick<CallInput, 'hookRuns' | 'finalArgs' | 'additionalContext' | 'endsWhenSent'> {
  if (hooked === undefined) return {};
  const { runs, finalArgs, additionalContext, endsWhenSent } = hooked;
  return {
    hookRuns: runs,
    endsWhenSent,
    ...(finalArgs === null ? {} : { finalArgs }),
    ...(additionalContext === null ? {} : { additionalContext }),
  };
}
