/** Takes a call on its way to the worker and gives what is waited on: the verdict first, people's answer later. */
import { randomUUID } from 'node:crypto';
import { DoorError, type CallOutcome, type ToolCall } from '@countersign/contracts';
import type { Bus, Queue, Seal, Unsubscribe } from '@countersign/queue';
import type { Ledger } from '@countersign/ledger';
import { toDoorError } from '@countersign/server';
import { createBatcher, type Batcher } from '../enqueue/batcher.js';
import { startInterval, type Interval } from '../waiting/interval.js';
import { recheckPending, recheckUnanswered, type RecheckDeps } from '../waiting/recheck.js';
import type { Waiter } from '../waiting/waiter.js';
import { Waiters, type WaiterLimits } from '../waiting/waiters.js';

const LOOK_UP_MS = 1_000;
const POLL_MS = 5_000;

export interface CallDeskDeps {
  readonly queue: Pick<Queue, 'enqueue' | 'whereabouts'>;
  readonly bus: Pick<Bus, 'onReplies' | 'onDecided'>;
  readonly seal: Seal;
  readonly ledger: Pick<Ledger, 'calls'>;
  readonly limits: WaiterLimits;
  /** The worker judges a call in milliseconds; without an answer after this long the service counts as unavailable. */
  readonly judgeMs: number;
  readonly onError: (error: unknown) => void;
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
  private readonly batcher: Batcher;
  private subscriptions: Unsubscribe[] = [];
  private intervals: Interval[] = [];

  constructor(private readonly deps: CallDeskDeps) {
    this.waiters = new Waiters(deps.limits, Date.now);
    this.batcher = createBatcher({ sink: deps.queue, seal: deps.seal, replyTo: this.gatewayId });
  }

  /** Must have ended before the first call is sent: replies go to nobody otherwise. */
  async open(): Promise<void> {
    const { bus, onError } = this.deps;
    this.subscriptions = await Promise.all([
      bus.onReplies(this.gatewayId, (replies) => replies.forEach((reply) => this.waiters.takeReply(reply))),
      bus.onDecided((message) => this.waiters.takeDecided(message)),
    ]);
    const recheck = this.recheckDeps();
    this.intervals = [
      startInterval(() => recheckUnanswered(recheck), LOOK_UP_MS, onError),
      startInterval(() => recheckPending(recheck), POLL_MS, onError),
    ];
  }

  /** Lets everybody go who waits, so that their requests can end before the server does. */
  release(): void {
    this.waiters.releaseAll();
  }

  async close(): Promise<void> {
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
  async submit(call: ToolCall, gone: AbortSignal): Promise<DeskTicket | null> {
    const { id, tool, args, tenantId, sessionId, agent, toolUseId, attempt } = call;
    const key = { tenantId, sessionId, agent, toolUseId, attempt };
    const waiter = this.waiters.open({ id, key, tool, argsHash: args.hash }, JSON.stringify(call));
    try {
      await this.send(waiter);
      const outcome = await waiter.verdict(this.deps.judgeMs, gone);
      if (outcome !== null) return this.ticket(waiter, outcome, gone);
    } catch (error) {
      this.waiters.close(waiter);
      throw toDoorError(error);
    }
    this.waiters.close(waiter);
    if (gone.aborted) return null;
    throw new DoorError('unavailable', 'the call was not judged in time; try again shortly');
  }

  /** Waits for the end of a call that is known to be pending. */
  join(call: Waiter['call'], pending: CallOutcome, gone: AbortSignal): DeskTicket {
    return this.ticket(this.waiters.join(call, pending), pending, gone);
  }

  private ticket(waiter: Waiter, outcome: CallOutcome, gone: AbortSignal): DeskTicket {
    return {
      outcome,
      end: (ms) => waiter.end(ms, gone),
      release: () => this.waiters.close(waiter),
    };
  }

  private async send(waiter: Waiter): Promise<void> {
    if (waiter.json !== null) waiter.jobId = await this.batcher.add(waiter.json);
  }

  private recheckDeps(): RecheckDeps {
    const { ledger, queue, onError } = this.deps;
    return {
      waiters: this.waiters,
      ledger,
      whereabouts: (jobId) => queue.whereabouts(jobId),
      send: (waiter) => this.send(waiter),
      now: Date.now,
      onError,
    };
  }
}
