/** Runs a hook within its limits: time, calls at once, retries within a budget, and a circuit that opens after failures in a row. */
import {
  BrokenCircuitError,
  bulkhead,
  BulkheadRejectedError,
  circuitBreaker,
  ConsecutiveBreaker,
  ExponentialBackoff,
  handleWhen,
  retry,
  TaskCancelledError,
  timeout,
  TimeoutStrategy,
  wrap,
} from 'cockatiel';
import { HookFailed } from './failure.js';
import type { HookTerms } from './spec.js';

const FAILURES_IN_A_ROW = 5;
const HALF_OPEN_AFTER_MS = 10_000;
/** Retries that may be saved up, and what each call adds: in the long run a tenth of all calls may be tried again. */
const BUDGET = { most: 10, each: 0.1 } as const;
/** Calls that may wait for their turn, for each that may run. */
const QUEUED_PER_RUNNING = 16;
const BACKOFF = { initialDelay: 50, maxDelay: 500 } as const;

export interface GuardedHook {
  /** Throws HookFailed and nothing else. `signal` ends the wait from outside: the time of the whole chain is over. */
  run<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T>;
}

export function guardHook(terms: Pick<HookTerms, 'timeoutMs' | 'retries' | 'maxInFlight'>): GuardedHook {
  const { timeoutMs, retries, maxInFlight } = terms;
  const budget = createBudget();
  const policy = wrap(
    bulkhead(maxInFlight, maxInFlight * QUEUED_PER_RUNNING),
    retry(
      handleWhen((error) => isUnreachable(error) && budget.take()),
      { maxAttempts: retries, backoff: new ExponentialBackoff(BACKOFF) },
    ),
    circuitBreaker(
      handleWhen(() => true),
      { halfOpenAfter: HALF_OPEN_AFTER_MS, breaker: new ConsecutiveBreaker(FAILURES_IN_A_ROW) },
    ),
    timeout(timeoutMs, TimeoutStrategy.Aggressive),
  );
  return {
    run: async (work, signal) => {
      budget.earn();
      try {
        return await Promise.race([policy.execute((context) => work(context.signal), signal), endOf(signal)]);
      } catch (error) {
        throw failureOf(
          error,
          signal.aborted ? 'before the time of all hooks together was over' : `within ${timeoutMs} ms`,
        );
      }
    },
  };
}

/** Rejects when the time is over, also for a call that still waits for its turn. */
function endOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const give = (): void => reject(new TaskCancelledError());
    if (signal.aborted) give();
    else signal.addEventListener('abort', give, { once: true });
  });
}

function isUnreachable(error: Error): boolean {
  return error instanceof HookFailed && error.failure === 'unreachable';
}

function failureOf(error: unknown, inTime: string): HookFailed {
  if (error instanceof HookFailed) return error;
  if (error instanceof TaskCancelledError) return new HookFailed('timeout', `no answer ${inTime}`);
  if (error instanceof BrokenCircuitError)
    return new HookFailed('circuit_open', 'it failed too often and is left alone');
  if (error instanceof BulkheadRejectedError)
    return new HookFailed('busy', 'too many of its calls are running, and too many wait');
  // What a plug-in throws may hold anything; only that it threw is told.
  return new HookFailed('error', 'it threw an error');
}

function createBudget() {
  let left: number = BUDGET.most;
  return {
    earn: (): void => {
      left = Math.min(BUDGET.most, left + BUDGET.each);
    },
    take: (): boolean => {
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}
