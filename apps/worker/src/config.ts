/** What a worker may be told; everything has a default that suits one machine. */

export interface WorkerConfig {
  /** Folders that no agent may touch: our own data folder first of all. Absolute. */
  readonly protectedPaths: readonly string[];
  /** node's name of this host's platform. */
  readonly platform: string;
  /** Jobs that are taken from the queue at once; their calls gather in rounds. */
  readonly concurrency: number;
  /** Most calls of one round: while one is stored the next is drafted, so a crowd must not fit into a single one. */
  readonly roundCalls: number;
  /** Session heads that are kept in memory. */
  readonly cachedHeads: number;
  /** Policies that are kept compiled. */
  readonly cachedPolicies: number;
  /** Pause between two looks for asks that are due. */
  readonly sweepMs: number;
  /** Pause between two looks for what observing hooks are to be told. */
  readonly hookMs: number;
  /** How long jobs that are running at the end may take to finish; what is not done by then runs again elsewhere. */
  readonly settleMs: number;
}

export const WORKER_DEFAULTS: WorkerConfig = {
  protectedPaths: [],
  platform: process.platform,
  concurrency: 64,
  roundCalls: 64,
  cachedHeads: 10_000,
  cachedPolicies: 1_000,
  // With its jitter still below the two seconds in which an ask ends when all timers were lost.
  sweepMs: 1_500,
  hookMs: 500,
  settleMs: 3_500,
};
