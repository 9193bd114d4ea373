/** Looks after the embedded database while `up` runs: a server that ended is started again, a few times. */
import { PostgresUnavailable, type Cluster } from '@countersign/ledger';

/** What the database tells while it starts and runs. */
export interface DatabaseEvents {
  /** One line for the person who started it. */
  onProgress(line: string): void;
  /** The database ended and cannot be brought back; the message is one line. */
  onLost(error: Error): void;
}

export interface ClusterWatch {
  /** Resolves when nothing is being started any more. */
  stop(): Promise<void>;
}

const LOOK_MS = 1_000;
/** A database that ends more often than this within the time below is not started again. */
const MOST_DEATHS = 5;
const WITHIN_MS = 60_000;

type Watched = Pick<Cluster, 'isRunning' | 'restart'>;

/** Looks once a second; while a start is under way nothing else is tried. */
export function watchCluster(cluster: Watched, events: DatabaseEvents, lookMs = LOOK_MS): ClusterWatch {
  const deaths: number[] = [];
  let starting: Promise<void> | null = null;
  const timer = setInterval(() => {
    if (starting !== null || cluster.isRunning()) return;
    starting = startAgain(cluster, deaths, events)
      .catch((error: unknown) => {
        clearInterval(timer);
        events.onLost(error instanceof Error ? error : new Error(String(error)));
      })
      .finally(() => (starting = null));
  }, lookMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await starting;
    },
  };
}

async function startAgain(cluster: Watched, deaths: number[], { onProgress }: DatabaseEvents): Promise<void> {
  const now = performance.now();
  deaths.push(now);
  while ((deaths[0] ?? now) < now - WITHIN_MS) deaths.shift();
  if (deaths.length > MOST_DEATHS)
    throw new PostgresUnavailable('the database keeps ending; see postgres.log in the home');
  onProgress('the database ended unexpectedly: starting it again …');
  await cluster.restart();
  onProgress('the database runs again');
}
