/** What the gateway does by itself for those who wait: looks up calls without an answer, sends lost ones again, polls open asks. */
import type { CallKey, CallOutcome } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import type { JobWhereabouts } from '@countersign/queue';
import type { Waiter } from './waiter.js';
import type { Waiters } from './waiters.js';

export interface RecheckDeps {
  readonly waiters: Waiters;
  readonly ledger: { readonly calls: Pick<Ledger['calls'], 'byKeys' | 'byId'> };
  readonly whereabouts: (jobId: string) => Promise<JobWhereabouts>;
  /** Puts the call into the next batch again. */
  readonly send: (waiter: Waiter) => Promise<void>;
  readonly now: () => number;
  /** A call was sent again. */
  readonly onResend: () => void;
  /** An outcome was found by looking it up before its reply came. */
  readonly onLookedUp?: () => void;
}

/** A call without an answer is looked up after this long. */
export const UNANSWERED_MS = 1_000;
/** A call is sent again at most once in this long. */
export const RESEND_MS = 5_000;
/** A job whose worker died is back in the queue within 7.5 s; one that is still with a worker after this long counts as lost. */
export const LOST_MS = 8_000;
/** Most calls in one look-up. */
const LOOKUP_CALLS = 500;

/**
 * Looks up the calls that have waited for a second, and sends those again that are neither stored nor on their way. Throws once
 * for all of them when the ledger or the queue does not answer.
 */
export async function recheckUnanswered(deps: RecheckDeps): Promise<void> {
  const waiting = deps.waiters.unanswered(deps.now() - UNANSWERED_MS);
  await settleStored(deps, waiting);
  const jobs = new Map<string, Promise<JobWhereabouts>>();
  const attempts = waiting.map((waiter) => sendIfLost(deps, waiter, jobs));
  const failed = (await Promise.allSettled(attempts)).find((attempt) => attempt.status === 'rejected');
  if (failed) throw failed.reason;
}

/** Looks up the ends of asks that somebody here waits for: the `decided` message may have been lost. */
export function recheckPending(deps: RecheckDeps): Promise<void> {
  return lookUpEnds(deps, deps.waiters.pending());
}

/** Looks up what became of calls that wait for people. */
export async function lookUpEnds(deps: RecheckDeps, pending: readonly Waiter[]): Promise<void> {
  const own = pending.filter((waiter) => waiter.outcome?.id === waiter.call.id);
  await settleStored(deps, own);
  // A call that joined another one has that one's id and no row under its own key.
  for (const waiter of pending) if (waiter.outcome?.id !== waiter.call.id) await settleJoined(deps, waiter);
}

async function settleStored(deps: RecheckDeps, waiters: readonly Waiter[]): Promise<void> {
  for (let from = 0; from < waiters.length; from += LOOKUP_CALLS) {
    const some = waiters.slice(from, from + LOOKUP_CALLS);
    const rows = await deps.ledger.calls.byKeys(some.map((waiter) => waiter.call.key));
    const byKey = new Map(rows.map(({ key, prior }) => [keyText(key), prior]));
    for (const waiter of some) {
      const prior = byKey.get(keyText(waiter.call.key));
      // A row of another call under the same key answers nothing here: the worker denies this one.
      if (prior?.tool !== waiter.call.tool || prior.callHash !== waiter.call.callHash) continue;
      take(deps, waiter, prior.outcome);
    }
  }
}

async function settleJoined(deps: RecheckDeps, waiter: Waiter): Promise<void> {
  const { call, outcome } = waiter;
  if (outcome === null) return;
  const row = await deps.ledger.calls.byId(call.key.tenantId, outcome.id);
  if (row) take(deps, waiter, row.outcome);
}

/** A pending outcome replaces nothing: the worker's own tells more (how long to hold). */
function take({ waiters, onLookedUp }: RecheckDeps, waiter: Waiter, outcome: CallOutcome): void {
  if (waiter.outcome === null) onLookedUp?.();
  if (waiter.outcome === null || outcome.decision !== 'pending') waiters.settle(waiter, outcome);
}

/** `jobs`: what is known of jobs in this pass, so that calls which left together are looked up once. */
async function sendIfLost(
  deps: RecheckDeps,
  waiter: Waiter,
  jobs: Map<string, Promise<JobWhereabouts>>,
): Promise<void> {
  const now = deps.now();
  const { jobId } = waiter;
  if (jobId === null || !mayBeSent(waiter) || now < waiter.resendAt) return;
  const looked = jobs.get(jobId) ?? deps.whereabouts(jobId);
  jobs.set(jobId, looked);
  const whereabouts = await looked;
  waiter.resendAt = now + RESEND_MS * (1 + Math.random() / 2);
  if (isOnItsWay(whereabouts, now - waiter.since) || !mayBeSent(waiter)) return;
  await deps.send(waiter);
  deps.onResend();
}

/** A waiter that has its outcome, or that nobody holds any more, has no text left to send. */
function mayBeSent(waiter: Waiter): boolean {
  return waiter.outcome === null && waiter.json !== null;
}

function isOnItsWay(whereabouts: JobWhereabouts, waitedMs: number): boolean {
  return whereabouts === 'waiting' || (whereabouts === 'active' && waitedMs < LOST_MS);
}

function keyText({ tenantId, sessionId, agent, toolUseId, attempt }: CallKey): string {
  return JSON.stringify([tenantId, sessionId, agent, toolUseId, attempt]);
}
