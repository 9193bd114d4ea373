/** Lets time pass: the rows' times are moved by SQL, as the owner of the tables, since no part of the product has a clock to set. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Observed } from './compare.js';
import type { Sequence } from './sequence.js';

/** Pauses are shorter than this; anything longer is moved. */
const REAL_SECONDS = 1;
const PATIENCE_MS = 10_000;

export async function advance(
  sequence: Sequence,
  seconds: number,
  expected: Record<string, unknown>,
): Promise<Observed> {
  if (seconds < REAL_SECONDS) await pause(seconds * 1_000);
  else await moveAsks(sequence, seconds);
  const call = String(expected['call'] ?? '');
  if (expected['status'] === 'expired') await untilEnded(sequence, call);
  const outcome = () => sequence.look(call);
  const denied = async () => (await outcome()).decision === 'deny';
  return {
    call: () => call,
    status: async () => {
      const { status } = await sequence.ask(call);
      return status === 'open' ? 'pending' : status;
    },
    effect: async () => (await outcome()).decision,
    approvalStatus: async () => shownStatus(sequence, (await outcome()).approvalStatus),
    executionStatus: async () => ((await denied()) ? 'blocked' : 'running'),
    handlerCalled: async () => !(await denied()),
    breaker: async () => ((await sequence.state()).breakerOpen ? 'open' : 'closed'),
    c1: () => sequence.interruptOf('c1'),
  };
}

/** The governed runner's protocol has no word for an ask that ran out: it shows it as cancelled. */
function shownStatus({ row }: Sequence, status: string | null): string | null {
  return row.preset === 'governed-runner' && status === 'expired' ? 'cancelled' : status;
}

async function moveAsks({ stack, row }: Sequence, seconds: number): Promise<void> {
  const interval = `${seconds} seconds`;
  await stack.owner.query(
    `UPDATE asks SET opened_at = opened_at - $2::interval, deadline = deadline - $2::interval
     WHERE tenant_id = $1 AND status = 'open'`,
    [row.id, interval],
  );
}

async function untilEnded(sequence: Sequence, call: string): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  while ((await sequence.ask(call)).status === 'open' && Date.now() < until) await pause(50);
}
