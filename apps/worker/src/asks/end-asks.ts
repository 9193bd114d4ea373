/** Ends asks that nobody answered or that a breaker made needless, and tells everybody who waits. */
import type { CallOutcome, DecidedMessage } from '@countersign/contracts';
import type { SessionCommand } from '@countersign/approval';
import type { Ledger } from '@countersign/ledger';
import type { Bus } from '@countersign/queue';

const ASK_PAGE = 500;

export interface EndAskDeps {
  readonly ledger: Pick<Ledger, 'execute' | 'expire' | 'asks'>;
  readonly bus: Pick<Bus, 'decided' | 'opened'>;
}

export interface SessionTarget {
  readonly tenantId: string;
  readonly sessionId: string;
}

/** Expires one ask if it is still open and its deadline has passed by the database's clock; false when it was not so. */
export function expireAsk(deps: EndAskDeps, target: SessionTarget, askId: string): Promise<boolean> {
  return end(deps, target, { type: 'ExpireAsk', askId });
}

/** Ends the open asks of a session whose breaker is open, and of every session below it. */
export async function endAsksOf(deps: EndAskDeps, stopped: SessionTarget): Promise<void> {
  const reason = `session \`${stopped.sessionId}\` was stopped after too many denials`;
  for (const sessionId of await sessionsWithAsks(deps, stopped)) {
    await end(deps, { tenantId: stopped.tenantId, sessionId }, { type: 'EndAsks', reason, by: 'breaker' });
  }
}

/** Sessions at or below `stopped` that have open asks. */
async function sessionsWithAsks({ ledger }: EndAskDeps, { tenantId, sessionId }: SessionTarget): Promise<Set<string>> {
  const found = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await ledger.asks.list({ tenantId, status: 'open', cursor, limit: ASK_PAGE });
    for (const ask of page.items) if (ask.path.includes(sessionId)) found.add(ask.sessionId);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return found;
}

async function end({ ledger, bus }: EndAskDeps, target: SessionTarget, command: SessionCommand): Promise<boolean> {
  const result = await ledger.execute(target, command);
  if (!result.ok) return false;
  await tellEnded({ bus }, target, result.outcomes);
  return true;
}

/** Tells everybody who waits; gives how many asks ended. */
export async function tellEnded(
  { bus }: Pick<EndAskDeps, 'bus'>,
  target: SessionTarget,
  outcomes: readonly { readonly askId: string; readonly outcome: CallOutcome }[],
): Promise<number> {
  const byAsk = new Map(outcomes.map(({ askId, outcome }) => [askId, outcome]));
  await Promise.all([...byAsk].map(([askId, outcome]) => bus.decided(decidedMessage(target, askId, outcome))));
  return byAsk.size;
}

function decidedMessage(target: SessionTarget, askId: string, outcome: CallOutcome): DecidedMessage {
  const { approvalStatus } = outcome;
  const status = approvalStatus === null || approvalStatus === 'not_required' ? 'cancelled' : approvalStatus;
  return { ...target, askId, status, channel: 'system', outcome };
}
