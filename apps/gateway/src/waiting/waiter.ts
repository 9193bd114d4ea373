/** One call that somebody waits for at this gateway: its latest outcome, and the promises that hang on it. */
import type { CallKey, CallOutcome } from '@countersign/contracts';
import type { Gone } from './gone.js';

/** What identifies the waited-for call in the ledger. `callHash` guards against a row of another call under the same key. */
export interface WaitedCall {
  readonly id: string;
  readonly key: CallKey;
  readonly tool: string;
  readonly callHash: string;
}

type Stage = 'verdict' | 'end';

interface Listener {
  readonly stage: Stage;
  readonly wake: (outcome: CallOutcome | null) => void;
}

export class Waiter {
  /** Null until the worker has answered. */
  outcome: CallOutcome | null = null;
  /** Null once it is known that the call was judged: nothing is sent again after that. */
  json: string | null;
  /** The job that carries the call; null while it is on its way to the queue. */
  jobId: string | null = null;
  /** Milliseconds of the gateway's clock at which the call may be sent again. */
  resendAt: number;
  private readonly listeners = new Set<Listener>();
  private released = false;

  constructor(
    readonly call: WaitedCall,
    json: string | null,
    readonly since: number,
  ) {
    this.json = json;
    this.resendAt = since;
  }

  get decided(): boolean {
    return this.outcome !== null && this.outcome.decision !== 'pending';
  }

  /** Takes an outcome. INVARIANT: a decision is never replaced. */
  settle(outcome: CallOutcome): void {
    if (this.decided) return;
    this.outcome = outcome;
    this.json = null;
    for (const listener of [...this.listeners]) {
      if (listener.stage === 'verdict' || this.decided) listener.wake(outcome);
    }
  }

  /** The first outcome, pending or not; null when none came within `ms` or the client went away. */
  verdict(ms: number, gone: Gone): Promise<CallOutcome | null> {
    return this.outcome ? Promise.resolve(this.outcome) : this.listen('verdict', ms, gone);
  }

  /** The decision; null when the call is still pending after `ms` or the client went away. */
  end(ms: number, gone: Gone): Promise<CallOutcome | null> {
    return this.decided ? Promise.resolve(this.outcome) : this.listen('end', ms, gone);
  }

  /** Wakes whoever waits without an answer, now and later: the gateway is about to go. */
  release(): void {
    this.released = true;
    for (const listener of [...this.listeners]) listener.wake(null);
  }

  private listen(stage: Stage, ms: number, gone: Gone): Promise<CallOutcome | null> {
    if (ms <= 0 || this.released || gone.aborted) return Promise.resolve(null);
    return new Promise((resolve) => {
      const wake = (outcome: CallOutcome | null): void => {
        clearTimeout(timer);
        gone.removeEventListener('abort', giveUp);
        this.listeners.delete(listener);
        resolve(outcome);
      };
      const giveUp = (): void => wake(null);
      const listener: Listener = { stage, wake };
      const timer = setTimeout(giveUp, ms);
      gone.addEventListener('abort', giveUp);
      this.listeners.add(listener);
    });
  }
}
