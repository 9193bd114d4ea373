/** Everybody who waits at this gateway, found by call id and by ask id; bounded in number and bytes. */
import { DoorError, type CallOutcome, type DecidedMessage, type Reply } from '@countersign/contracts';
import { Waiter, type WaitedCall } from './waiter.js';

export interface WaiterLimits {
  readonly maxWaiters: number;
  /** Characters of calls that are kept to be sent again. */
  readonly maxChars: number;
}

export class Waiters {
  private readonly all = new Set<Waiter>();
  /** Only those who sent the call; whoever polls a pending call is found by its ask. */
  private readonly byCall = new Map<string, Waiter>();
  private readonly byAsk = new Map<string, Set<Waiter>>();
  private chars = 0;
  private releasing = false;

  constructor(
    private readonly limits: WaiterLimits,
    private readonly now: () => number,
  ) {}

  get size(): number {
    return this.all.size;
  }

  /** A waiter for a call that is about to be sent. Throws `overloaded` when too many wait already. */
  open(call: WaitedCall, json: string): Waiter {
    if (this.chars + json.length > this.limits.maxChars) throw new DoorError('overloaded');
    const waiter = this.admit(new Waiter(call, json, this.now()));
    this.byCall.set(call.id, waiter);
    this.chars += json.length;
    return waiter;
  }

  /** A waiter for the end of a call that is known to be pending. Throws `overloaded` when too many wait already. */
  join(call: WaitedCall, pending: CallOutcome): Waiter {
    const waiter = this.admit(new Waiter(call, null, this.now()));
    this.settle(waiter, pending);
    return waiter;
  }

  /** Nobody waits for this one any more. */
  close(waiter: Waiter): void {
    if (!this.all.delete(waiter)) return;
    if (this.byCall.get(waiter.call.id) === waiter) this.byCall.delete(waiter.call.id);
    this.chars -= waiter.json?.length ?? 0;
    waiter.json = null;
    this.unlinkAsk(waiter);
  }

  /** Wakes everybody without an answer and takes nobody in any more. What is pending stays pending. */
  releaseAll(): void {
    this.releasing = true;
    for (const waiter of this.all) waiter.release();
  }

  takeReply(reply: Reply): void {
    const waiter = this.byCall.get(reply.callId);
    if (waiter) this.settle(waiter, reply.outcome);
  }

  takeDecided(message: DecidedMessage): void {
    for (const waiter of [...(this.byAsk.get(message.askId) ?? [])]) {
      if (waiter.call.key.tenantId === message.tenantId) this.settle(waiter, message.outcome);
    }
  }

  settle(waiter: Waiter, outcome: CallOutcome): void {
    this.chars -= waiter.json?.length ?? 0;
    this.unlinkAsk(waiter);
    waiter.settle(outcome);
    const askId = waiter.decided ? undefined : outcome.askId;
    if (askId === undefined || !this.all.has(waiter)) return;
    const waiters = this.byAsk.get(askId) ?? new Set();
    waiters.add(waiter);
    this.byAsk.set(askId, waiters);
  }

  /** Those whose call has no outcome yet, opened at or before `time`. */
  unanswered(time: number): Waiter[] {
    return [...this.byCall.values()].filter((waiter) => waiter.outcome === null && waiter.since <= time);
  }

  /** Those who wait for people. */
  pending(): Waiter[] {
    return [...this.all].filter((waiter) => waiter.outcome?.decision === 'pending');
  }

  private admit(waiter: Waiter): Waiter {
    if (this.releasing) throw new DoorError('unavailable');
    if (this.all.size >= this.limits.maxWaiters) throw new DoorError('overloaded');
    this.all.add(waiter);
    return waiter;
  }

  private unlinkAsk(waiter: Waiter): void {
    const askId = waiter.outcome?.askId;
    const waiters = askId === undefined ? undefined : this.byAsk.get(askId);
    if (askId === undefined || !waiters) return;
    waiters.delete(waiter);
    if (waiters.size === 0) this.byAsk.delete(askId);
  }
}
