/** Who answers, as it is recorded. */
import type { Answerer } from '@countersign/contracts';
import type { Principal } from '@countersign/server';

/** A key that belongs to no person answers under its own id, so that nobody is ever "somebody". */
export function answererOf(who: Principal): Answerer {
  return { channel: 'web', personId: who.personId ?? who.keyId, personName: who.personName };
}

/** The name under which a change is recorded. */
export function actorOf(who: Principal): string {
  return who.personId ?? who.keyId;
}
