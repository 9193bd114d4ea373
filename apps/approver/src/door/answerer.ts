/** Who answers, as it is recorded. */
import type { Answerer } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import type { Principal } from '@countersign/server';

/** By which a program that people sit at says where they sit. Of the page's session it means nothing. */
export const CHANNEL_HEADER = 'x-countersign-channel';

/** A key that belongs to no person answers under its own id, so that nobody is ever "somebody". */
export function answererOf(who: Principal, channel: 'web' | 'cli' = 'web'): Answerer {
  return { channel, personId: who.personId ?? who.keyId, personName: who.personName };
}

/** Where an answer at our door was given: `cli` when a key says so, else `web`, as every cookie is. */
export function doorChannel(headers: Readonly<Record<string, unknown>>): 'web' | 'cli' {
  return headers['authorization'] !== undefined && headers[CHANNEL_HEADER] === 'cli' ? 'cli' : 'web';
}

/** The name under which a change is recorded. */
export function actorOf(who: Principal): string {
  return who.personId ?? who.keyId;
}

/** The groups that the person is in at this moment; none for a key that belongs to no person. */
export async function groupsOf(ledger: Pick<Ledger, 'people'>, who: Principal): Promise<readonly string[]> {
  if (who.personId === null) return [];
  return (await ledger.people.get(who.tenantId, who.personId))?.groups ?? [];
}
