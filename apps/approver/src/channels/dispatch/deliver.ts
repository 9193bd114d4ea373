/** Sends one card, rewrites one, or says something beside one: claimed in the ledger first, so that no two processes do the same. */
import { createHash } from 'node:crypto';
import type { AskView, SessionEvent } from '@countersign/contracts';
import { appendRecord, type Delivery, type Ledger } from '@countersign/ledger';
import { SendFailed, type Channel } from '../channel.js';
import { nextAttemptMs } from './backoff.js';
import { mayApproveOn } from '../may-approve.js';
import { endText, lateText } from './end-text.js';
import type { CardTarget } from './targets.js';

export interface DeliverDeps {
  readonly ledger: Pick<Ledger, 'append' | 'asks' | 'deliveries'>;
  /** From 0 to 1. */
  readonly random: () => number;
  /** A card that is not tried again. */
  readonly onGivenUp: (problem: string) => void;
}

export type CardKind = 'card' | 'reminder';

/** Longer than any channel's own time-out, so that a claim runs out only when its process died. */
const CLAIM_MS = 60_000;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Shows an open ask in one place. True: it was sent now. */
export async function sendCard(
  deps: DeliverDeps,
  ask: AskView,
  { channel, target }: CardTarget,
  kind: CardKind,
): Promise<boolean> {
  const key = { tenantId: channel.tenantId, askId: ask.id, channel: channel.name, kind, version: ask.version, target };
  const claim = await deps.ledger.deliveries.claim(key, CLAIM_MS);
  if (claim === null) return false;
  const card = channel.card(ask);
  const approvable = mayApproveOn(channel.name, ask, card);
  const outgoing = { deliveryId: claim.id, kind, tenantId: channel.tenantId, target, ask, card, approvable };
  try {
    const providerRef = await channel.send(outgoing);
    const textHash = sha256(card.text);
    await deps.ledger.deliveries.done(claim.id, { textHash, providerRef });
    const body = { askId: ask.id, channel: channel.name, kind, version: ask.version, target, textHash };
    await record(deps, channel, ask, { type: 'AskNotified', version: 1, body });
    return true;
  } catch (error) {
    await noteFailure(deps, { channel, ask, claim, error });
    return false;
  }
}

/** Makes a sent card say how its ask ended. */
export async function closeCard(deps: DeliverDeps, ask: AskView, channel: Channel, sent: Delivery): Promise<void> {
  if (ask.status === 'open') return;
  const { tenantId, askId, version, target } = sent;
  const key = { tenantId, askId, channel: channel.name, kind: `close-${sent.kind}`, version, target };
  const claim = await deps.ledger.deliveries.claim(key, CLAIM_MS);
  if (claim === null) return;
  const text = endText(ask);
  const card = channel.card(ask);
  try {
    const { providerRef } = sent;
    await channel.close({
      deliveryId: claim.id,
      tenantId,
      target,
      providerRef,
      ask,
      card,
      end: { status: ask.status, text },
    });
    await deps.ledger.deliveries.rewritten(claim.id, sent.id, { textHash: sha256(text), providerRef });
  } catch (error) {
    const final = await noteFailure(deps, { channel, ask, claim, error });
    // A card that can never be rewritten is not looked at again; a press on it is answered with the same text.
    if (final) await deps.ledger.deliveries.closed(sent.id);
  }
}

/** Says once, where the first answer to an ask came from, that somebody said the contrary afterwards. */
export async function tellLate(deps: DeliverDeps, ask: AskView, channel: Channel, planned: Delivery): Promise<void> {
  const { deliveries, asks } = deps.ledger;
  const claim = await deliveries.claim(planned, CLAIM_MS);
  if (claim === null) return;
  const { id: deliveryId, target, providerRef: cardRef } = claim;
  const { tenantId } = channel;
  // Of the last few the earliest, so that another attempt says the same.
  const late = (await asks.late(tenantId, [ask.id]))[ask.id]?.at(-1);
  if (late === undefined || channel.late === undefined) return deliveries.closed(deliveryId);
  const text = lateText(ask, late);
  try {
    const card = channel.card(ask);
    const providerRef = await channel.late({ deliveryId, tenantId, target, cardRef, ask, card, late, text });
    await deliveries.done(deliveryId, { textHash: sha256(text), providerRef }, 'closed');
  } catch (error) {
    await noteFailure(deps, { channel, ask, claim, error });
  }
}

interface Failure {
  readonly channel: Channel;
  readonly ask: AskView;
  readonly claim: Delivery;
  readonly error: unknown;
}

/** Plans the next attempt; true when there is none. Of many failures the first and the last are recorded. */
async function noteFailure(deps: DeliverDeps, { channel, ask, claim, error }: Failure): Promise<boolean> {
  const failed = error instanceof SendFailed ? error : new SendFailed(`no answer: ${nameOf(error)}`);
  const { final = false, retryAfterMs } = failed.options;
  const retryInMs = final ? null : nextAttemptMs(claim.attempts, retryAfterMs, deps.random());
  await deps.ledger.deliveries.failed(claim.id, { problem: failed.problem, retryInMs });
  const last = retryInMs === null;
  if (last) deps.onGivenUp(`${channel.name} ${claim.kind} of ask ${ask.id}: ${failed.problem}`);
  if (last || claim.attempts === 1) {
    const { kind, target, attempts: attempt } = claim;
    const body = { askId: ask.id, channel: channel.name, kind, target, problem: failed.problem, attempt, final: last };
    await record(deps, channel, ask, { type: 'NotifyFailed', version: 1, body });
  }
  return last;
}

/** Only the kind of error: its text could hold what was sent. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'error';
}

async function record(deps: DeliverDeps, { tenantId }: Channel, ask: AskView, event: SessionEvent): Promise<void> {
  await appendRecord(deps.ledger, { tenantId, streamId: ask.sessionId }, [event]);
}
