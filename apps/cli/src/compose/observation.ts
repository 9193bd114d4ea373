/** What one process measures and traces, made once and given to all its apps. */
import { NO_METER, type Meter, type Tracing } from '@countersign/contracts';
import type { Ledger, Vitals } from '@countersign/ledger';
import type { Queue } from '@countersign/queue';
import { createMetrics, openTracing, type MetricsDoor } from '@countersign/server';
import type { CliEnv } from '../env.js';
import type { Closing } from './closing.js';
import type { Log } from './log.js';

export interface Observation {
  readonly metrics: MetricsDoor;
  readonly meter: Meter;
  readonly tracing: Tracing;
}

const CLOSE_MS = 2_500;
/** Numbers of the whole database are asked for at most this often. */
const FRESH_MS = 1_000;

/** `service` names the process in its traces. */
export async function openObservation(env: CliEnv, service: string, log: Log, closing: Closing): Promise<Observation> {
  const metrics = createMetrics();
  const { tracing, close } = await openTracing({
    endpoint: env.traces.endpoint,
    headers: env.traces.headers,
    sample: env.traces.sample,
    service: `countersign-${service}`,
    onError: log.onError,
  });
  if (tracing.on) closing.add({ name: 'traces', withinMs: CLOSE_MS, close });
  return { metrics: { metrics, token: env.metricsToken }, meter: metrics.meter, tracing };
}

/** Reads queue, pool and database when somebody reads the metrics. */
export function measureParts({ ledger, queue }: { ledger: Ledger; queue: Queue }, meter: Meter = NO_METER): void {
  for (const state of ['idle', 'busy', 'waiting'] as const) {
    meter.read('countersign_database_connections', () => ledger.watching.poolUse()[state], { state });
  }
  const depth = remembered(() => queue.depth());
  for (const name of ['evaluate', 'asks'] as const) {
    meter.read('countersign_queue_depth', async () => (await depth())[name], { queue: name });
  }
}

/** Numbers that are the same wherever they are read: one app of a house gives them. */
export function measureHouse({ ledger }: { ledger: Ledger }, meter: Meter): void {
  const vitals = remembered(() => ledger.watching.vitals());
  const read = (pick: (vitals: Vitals) => number) => async () => pick(await vitals());
  meter.read(
    'countersign_open_asks',
    read((seen) => seen.openAsks),
  );
  meter.read(
    'countersign_oldest_ask_seconds',
    read((seen) => seen.oldestAskSeconds),
  );
  meter.read(
    'countersign_kill_switches',
    read((seen) => seen.killSwitches),
  );
  meter.read(
    'countersign_follower_lag_seconds',
    read((seen) => seen.oldestWriteSeconds),
  );
}

/** One question answers several readers. */
function remembered<T>(ask: () => Promise<T>): () => Promise<T> {
  let latest: { at: number; answer: Promise<T> } | null = null;
  return () => {
    const now = performance.now();
    if (latest === null || now - latest.at > FRESH_MS) latest = { at: now, answer: ask() };
    return latest.answer;
  };
}
