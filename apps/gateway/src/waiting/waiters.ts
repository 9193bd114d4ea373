/** Everybody who waits at this gateway, found by call id and by ask id; bounded in number and bytes. */
import { DoorError, type CallOutcome, type Reply } from '@countersign/contracts';
import { ChurnMap } from '@countersign/server';
import { Waiter, type WaitedCall } from './waiter.js';

export interface WaiterLimits {
  readonly maxWaiters: number;
  /** Characters of calls that are kept to be sent again. */
  readonly maxChars: number;
}

/** Who hears what happens to those who wait. */
export interface WaiterEvents {
  /** The first outcome of a call, after so many milliseconds. */
  readonly onVerdict: (ms: number) => void;
  /** Somebody was refused, since too many wait. */
  readonly onRefused: () => void;
}

export class Waiters {
  private readonly all = new ChurnMap<Waiter, Waiter>();
  /** Only those who sent the call; whoever polls a pending call is found by its ask. */
  private readonly byCall = new ChurnMap<string, Waiter>();
  private readonly byAsk = new Map<string, Set<Waiter>>();
  private chars = 0;
  private releasing = false;

  constructor(
    private readonly limits: WaiterLimits,
    private readonly now: () => number,
    private readonly events?: WaiterEvents,
  ) {}

  get size(): number {
    return this.all.size;
  }

  /** Characters of calls that are kept to be sent again. */
  get keptChars(): number {
    return this.chars;
  }

  /** A waiter for a call that is about to be sent. Throws `overloaded` when too many wait already. */
  open(call: WaitedCall, json: string): Waiter {
    if (this.chars + json.length > this.limits.maxChars) throw this.overloaded();
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

  /** From now on nobody new may wait here. */
  admitNobody(): void {
    this.releasing = true;
  }

  /** Wakes everybody without an answer and takes nobody in any more. What is pending stays pending. */
  releaseAll(): void {
    this.admitNobody();
    for (const waiter of this.all.values()) waiter.release();
  }

  /** The jobs in which the calls of these replies were sent. */
  jobsOf(replies: readonly Reply[]): Set<string> {
    const jobs = new Set<string>();
    for (const { callId } of replies) {
      const jobId = this.byCall.get(callId)?.jobId ?? null;
      if (jobId !== null) jobs.add(jobId);
    }
    return jobs;
  }

  takeReply(reply: Reply): void {
    const waiter = this.byCall.get(reply.callId);
    if (waiter) this.settle(waiter, reply.outcome);
  }

  /** Those who wait for an ask to end. */
  waitingFor(tenantId: string, askId: string): Waiter[] {
    return [...(this.byAsk.get(askId) ?? [])].filter((waiter) => waiter.call.key.tenantId === tenantId);
  }

  settle(waiter: Waiter, outcome: CallOutcome): void {
    this.chars -= waiter.json?.length ?? 0;
    this.unlinkAsk(waiter);
    if (waiter.outcome === null && this.byCall.has(waiter.call.id)) this.events?.onVerdict(this.now() - waiter.since);
    waiter.settle(outcome);
    const askId = waiter.decided ? undefined : outcome.askId;
    if (askId === undefined || !this.all.has(waiter)) return;
    const waiters = this.byAsk.get(askId) ?? new Set();
    waiters.add(waiter);
    this.byAsk.set(askId, waiters);
  }

  /** Those whose call has no outcome yet, opened at or before `time`. */
  unanswered(time: number): Waiter[] {
    return this.byCall.values().filter((waiter) => waiter.outcome === null && waiter.since <= time);
  }

  /** Those who wait for people. */
  pending(): Waiter[] {
    return this.all.values().filter((waiter) => waiter.outcome?.decision === 'pending');
  }

  private overloaded(): DoorError {
    this.events?.onRefused();
    return new DoorError('overloaded');
  }

  private admit(waiter: Waiter): Waiter {
    if (this.releasing) throw new DoorError('unavailable');
    if (this.all.size >= this.limits.maxWaiters) throw this.overloaded();
    this.all.set(waiter, waiter);
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
