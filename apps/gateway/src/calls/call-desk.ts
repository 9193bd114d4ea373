/** Takes a call on its way to the worker and gives what is waited on: the verdict first, people's answer later. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  callHashOf,
  DoorError,
  NO_METER,
  NO_TRACING,
  type CallOutcome,
  type DecidedNotice,
  type Meter,
  type ToolCall,
  type Tracing,
} from '@countersign/contracts';
import { openReplies, type Bus, type Queue, type Seal, type Unsubscribe } from '@countersign/queue';
import type { Ledger } from '@countersign/ledger';
import { toDoorError } from '@countersign/server';
import { createBatcher, type Batcher } from '../enqueue/batcher.js';
import { createPace } from '../enqueue/pace.js';
import { startInterval, type Interval } from '../waiting/interval.js';
import { lookUpEnds, recheckPending, recheckUnanswered, type RecheckDeps } from '../waiting/recheck.js';
import type { Gone } from '../waiting/gone.js';
import type { Waiter } from '../waiting/waiter.js';
import { Waiters, type WaiterLimits } from '../waiting/waiters.js';

const LOOK_UP_MS = 1_000;
const POLL_MS = 5_000;
/** A worker judges within milliseconds; who is not answered by then is told to try again, which another gateway takes. */
const LAST_VERDICTS_MS = 2_000;
/** Jobs that may be on their way unanswered before calls gather for the next, and how long that may last. */
const AHEAD = 3;
const HOLD_MS = 20;
const LINGER_MS = 2;

export interface CallDeskDeps {
  readonly queue: Pick<Queue, 'enqueue' | 'whereabouts'>;
  readonly bus: Pick<Bus, 'onReplies' | 'onDecided'>;
  readonly seal: Seal;
  readonly ledger: Pick<Ledger, 'calls'>;
  readonly limits: WaiterLimits;
  /** The worker judges a call in milliseconds; without an answer after this long the service counts as unavailable. */
  readonly judgeMs: number;
  readonly onError: (error: unknown) => void;
  readonly meter?: Meter;
  readonly tracing?: Tracing;
}

/** One use of the desk: `outcome` is the first one; `end` waits on for people; `release` must be called at last. */
export interface DeskTicket {
  readonly outcome: CallOutcome;
  end(ms: number): Promise<CallOutcome | null>;
  release(): void;
}

export class CallDesk {
  private readonly gatewayId = randomUUID();
  private readonly waiters: Waiters;
  private readonly pace = createPace({
    ahead: AHEAD,
    holdMs: HOLD_MS,
    lingerMs: LINGER_MS,
    now: () => performance.now(),
  });
  private readonly batcher: Batcher;
  private subscriptions: Unsubscribe[] = [];
  private intervals: Interval[] = [];
  private readings: (() => void)[] = [];

  constructor(private readonly deps: CallDeskDeps) {
    const { limits, queue: sink, seal, tracing = NO_TRACING, meter = NO_METER } = deps;
    this.waiters = new Waiters(limits, Date.now, {
      onVerdict: (ms) => meter.observe('countersign_verdict_seconds', ms / 1_000),
      onRefused: () => meter.count('countersign_refused_total', { limit: 'waiters' }),
    });
    this.batcher = createBatcher({ sink, seal, replyTo: this.gatewayId, tracing, pace: this.pace });
  }

  /** Must have ended before the first call is sent: replies go to nobody otherwise. */
  async open(): Promise<void> {
    const { bus, onError } = this.deps;
    this.subscriptions = await Promise.all([
      bus.onReplies(this.gatewayId, (sealed) => {
        const replies = openReplies(this.deps.seal, sealed);
        this.pace.answered(this.waiters.jobsOf(replies), replies.length);
        for (const reply of replies) this.waiters.takeReply(reply);
      }),
      bus.onDecided((notice) => void this.takeDecided(notice)),
    ]);
    this.readings = this.measure();
    const recheck = this.recheckDeps();
    this.intervals = [
      startInterval(() => recheckUnanswered(recheck), LOOK_UP_MS, onError),
      startInterval(() => recheckPending(recheck), POLL_MS, onError),
    ];
  }

  /** Whoever waits for the ask is told what the ledger says; when it does not answer, the next look at pending calls does. */
  private async takeDecided({ tenantId, askId }: DecidedNotice): Promise<void> {
    const waiters = this.waiters.waitingFor(tenantId, askId);
    if (waiters.length === 0) return;
    try {
      await lookUpEnds(this.recheckDeps(), waiters);
    } catch (error) {
      this.deps.onError(error);
    }
  }

  /** The gateway is about to go: calls that are being judged get a moment, then everybody who waits is let go. */
  async leave(): Promise<void> {
    this.waiters.admitNobody();
    const until = performance.now() + LAST_VERDICTS_MS;
    while (this.waiters.unanswered(Date.now()).length > 0 && performance.now() < until) await pause(20);
    this.waiters.releaseAll();
  }

  async close(): Promise<void> {
    this.readings.forEach((end) => end());
    await Promise.all(this.intervals.map((interval) => interval.stop()));
    await Promise.all(this.subscriptions.map((unsubscribe) => unsubscribe()));
  }

  get waiting(): number {
    return this.waiters.size;
  }

  /**
   * Sends a call and waits for the worker's first outcome. Throws `overloaded`, or `unavailable` when nobody judged it in time.
   * Null: the client went away meanwhile.
   */
  async submit(call: ToolCall, gone: Gone): Promise<DeskTicket | null> {
    const waiter = this.admit(call);
    try {
      await this.send(waiter);
      const outcome = await waiter.verdict(this.patience(gone), gone);
      if (outcome !== null) return this.ticket(waiter, outcome, gone);
    } catch (error) {
      this.waiters.close(waiter);
      throw toDoorError(error);
    }
    this.waiters.close(waiter);
    if (gone.aborted) return null;
    throw new DoorError('unavailable', 'the call was not judged in time; try again shortly');
  }

  /** Sends the calls of one step, which are judged together and in order; else as `submit`. */
  async submitAll(calls: readonly ToolCall[], gone: Gone): Promise<DeskTicket[] | null> {
    const waiters: Waiter[] = [];
    try {
      for (const call of calls) waiters.push(this.admit(call));
      const jobId = await this.batcher.addAll(waiters.map(({ json }) => json ?? ''));
      for (const waiter of waiters) waiter.jobId = jobId;
      const outcomes = await Promise.all(waiters.map((waiter) => waiter.verdict(this.patience(gone), gone)));
      const tickets = outcomes.flatMap((outcome, place) => {
        const waiter = waiters[place];
        return outcome === null || waiter === undefined ? [] : [this.ticket(waiter, outcome, gone)];
      });
      if (tickets.length === calls.length) return tickets;
    } catch (error) {
      for (const waiter of waiters) this.waiters.close(waiter);
      throw toDoorError(error);
    }
    for (const waiter of waiters) this.waiters.close(waiter);
    if (gone.aborted) return null;
    throw new DoorError('unavailable', 'the calls were not judged in time; try again shortly');
  }

  /** What is left for the verdict: looking up keys and policies in a slow database has taken its share. */
  private patience({ since = performance.now() }: Gone): number {
    return Math.max(0, this.deps.judgeMs - (performance.now() - since));
  }

  private admit(call: ToolCall): Waiter {
    const { id, tool, tenantId, sessionId, agent, toolUseId, attempt } = call;
    const key = { tenantId, sessionId, agent, toolUseId, attempt };
    return this.waiters.open({ id, key, tool, callHash: callHashOf(call) }, JSON.stringify(call));
  }

  /** Waits for the end of a call that is known to be pending. */
  join(call: Waiter['call'], pending: CallOutcome, gone: Gone): DeskTicket {
    return this.ticket(this.waiters.join(call, pending), pending, gone);
  }

  private ticket(waiter: Waiter, outcome: CallOutcome, gone: Gone): DeskTicket {
    return {
      outcome,
      end: (ms) => waiter.end(ms, gone),
      release: () => this.waiters.close(waiter),
    };
  }

  private async send(waiter: Waiter): Promise<void> {
    if (waiter.json !== null) waiter.jobId = await this.batcher.add(waiter.json);
  }

  private measure(): (() => void)[] {
    const { meter = NO_METER } = this.deps;
    return [
      meter.read('countersign_waiters', () => this.waiters.size),
      meter.read('countersign_waiting_chars', () => this.waiters.keptChars),
      meter.read('countersign_gathered_calls', () => this.batcher.gathered),
    ];
  }

  private recheckDeps(): RecheckDeps {
    const { ledger, queue, meter = NO_METER } = this.deps;
    return {
      waiters: this.waiters,
      ledger,
      whereabouts: (jobId) => queue.whereabouts(jobId),
      send: (waiter) => this.send(waiter),
      now: Date.now,
      onResend: () => meter.count('countersign_resends_total'),
      onLookedUp: () => meter.count('countersign_lost_replies_total'),
    };
  }
}
