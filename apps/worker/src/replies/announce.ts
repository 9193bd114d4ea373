/** Tells what a committed round decided: replies to gateways, new asks to approvers, timers for their ends. */
import type { Reply } from '@countersign/contracts';
import { sealReplies, type Bus, type NewAskJob, type Queue, type Seal } from '@countersign/queue';
import type { OpenedAskNotice, RoundResult, Settled } from '../rounds/round-item.js';

export interface AnnounceDeps {
  readonly bus: Pick<Bus, 'reply' | 'opened'>;
  readonly seal: Pick<Seal, 'seal'>;
  readonly queue: { readonly asks: Pick<Queue['asks'], 'addMany'> };
  /** Timers that could not be set; sweeps find the asks again. */
  readonly onError: (error: unknown) => void;
}

/** Never throws: all of it is a hint, and the ledger holds the truth. `now`: milliseconds of this host's clock. */
export async function announce(result: RoundResult, deps: AnnounceDeps, now: number): Promise<void> {
  await Promise.all([
    ...repliesByGateway(result.settled).map(([gateway, replies]) =>
      deps.bus.reply(gateway, sealReplies(deps.seal, replies)),
    ),
    announceAsks(result.opened, deps, now),
  ]);
}

function repliesByGateway(settled: readonly Settled[]): [string, Reply[]][] {
  const byGateway = new Map<string, Reply[]>();
  for (const { item, outcome } of settled) {
    const replies = byGateway.get(item.replyTo) ?? [];
    replies.push({ callId: item.call.id, outcome });
    byGateway.set(item.replyTo, replies);
  }
  return [...byGateway];
}

/** Tells approvers of open asks and sets their timers, all in one exchange with the queue. Never throws. */
export async function announceAsks(
  asks: readonly Pick<OpenedAskNotice, 'tenantId' | 'askId' | 'deadline'>[],
  { bus, queue, onError }: Omit<AnnounceDeps, 'seal'>,
  now: number,
): Promise<void> {
  if (asks.length === 0) return;
  await Promise.all(asks.map(({ tenantId, askId }) => bus.opened({ tenantId, askId })));
  await queue.asks.addMany(asks.flatMap((ask) => timersOf(ask, now))).catch(onError);
}

function timersOf(
  { tenantId, askId, deadline }: Pick<OpenedAskNotice, 'tenantId' | 'askId' | 'deadline'>,
  now: number,
): NewAskJob[] {
  const notify: NewAskJob = { job: { kind: 'notify', tenantId, askId }, id: `${askId}-notify` };
  if (deadline === null) return [notify];
  const rings = ringsAt(Date.parse(deadline));
  const job = { kind: 'expire', tenantId, askId } as const;
  return [notify, { job, id: `expire-${rings}`, delayMs: Math.max(0, rings - now) }];
}

/** Asks whose deadlines lie in the same quarter of a second share one timer, which rings at its end: it ends all that are due. */
const TIMER_MS = 250;

/** Milliseconds since 1970. */
function ringsAt(deadline: number): number {
  return Math.ceil(deadline / TIMER_MS) * TIMER_MS;
}
