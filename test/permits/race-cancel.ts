/** A cancel and the redemption of an allowed call's permit, sent at nearly the same moment, again and again. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { TENANT, type House } from '../calls/house.js';

/** How the races ended. `executed`: the cancel says that the call runs already; `cancelled`: the permit was refused. */
export interface RaceEnds {
  executed: number;
  cancelled: number;
  /** The call was taken up although the cancel thought it was not, or the other way round. */
  both: number;
  neither: number;
}

/** `times` races in sessions of their own, ten at once, each with up to 8 ms between the two. The policy must allow `echo`. */
export async function raceCancel(house: House, times: number): Promise<RaceEnds> {
  const ends: RaceEnds = { executed: 0, cancelled: 0, both: 0, neither: 0 };
  let left = times;
  const runner = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      ends[await raceOnce(house)] += 1;
    }
  };
  await Promise.all(Array.from({ length: 10 }, runner));
  return ends;
}

async function raceOnce(house: House): Promise<keyof RaceEnds> {
  const sessionId = randomUUID();
  const args = { command: 'echo hi' };
  const body = { sessionId, toolUseId: randomUUID(), tool: 'Bash', args, permit: true };
  const { body: allowed } = await house.post('/v1/tool-calls', body);
  const jitter = (): Promise<void> => pause(Math.random() * 8);
  const [redeemed, cancelled] = await Promise.all([
    jitter().then(() => house.post('/v1/permits/redeem', { permit: allowed['permit'], args })),
    jitter().then(() => house.post(`/v1/sessions/${sessionId}/cancel`, {})),
  ]);
  const running = (cancelled.body['running'] as string[]).includes(String(allowed.id));
  const took = redeemed.status === 200;
  const stored = await house.ledger.events.ofStream({ tenantId: TENANT, streamId: sessionId }, 0, 100);
  const order = stored.map(({ type }) => type).filter((type) => ['PermitRedeemed', 'SessionCancelled'].includes(type));
  if (took && running && order.join() === 'PermitRedeemed,SessionCancelled') return 'executed';
  if (!took && !running && order.join() === 'SessionCancelled') return 'cancelled';
  return took ? 'both' : 'neither';
}
