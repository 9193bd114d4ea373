/** Keeps a queue bounded without a count per added job. */
import type { Producer } from './backend.js';
import { QueueFull } from './queue-errors.js';

const REFRESH_MS = 250;

interface DepthGuardOptions {
  readonly maxDepth: number;
  readonly onError: (error: Error) => void;
}

/**
 * A check to await before each add of one or several jobs: throws QueueFull when the last count plus what was added since
 * reaches the limit. The count is taken again every 250 ms of use, beside the adds; while the queue is full it is awaited, so
 * that it opens again at once.
 */
export function createDepthGuard(
  producer: Pick<Producer, 'getWaitingCount'>,
  options: DepthGuardOptions,
): (jobs?: number) => Promise<void> {
  let counted = 0;
  let added = 0;
  let countedAt = Number.NEGATIVE_INFINITY;
  let counting: Promise<void> | undefined;
  const count = async (): Promise<void> => {
    const addedBefore = added;
    try {
      counted = await producer.getWaitingCount();
      added -= addedBefore;
    } catch (error) {
      options.onError(error instanceof Error ? error : new Error(String(error)));
    } finally {
      counting = undefined;
    }
  };
  const refresh = (): Promise<void> => {
    if (!counting && performance.now() - countedAt >= REFRESH_MS) {
      countedAt = performance.now();
      counting = count();
    }
    return counting ?? Promise.resolve();
  };
  return async (jobs = 1) => {
    const refreshed = refresh();
    if (counted + added >= options.maxDepth) await refreshed;
    if (counted + added >= options.maxDepth) throw new QueueFull(`the queue holds ${options.maxDepth} waiting jobs`);
    added += jobs;
  };
}
