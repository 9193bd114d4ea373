/** Every metric of the house in one table, and the port that the rooms report to. Labels are closed sets: what is not in one counts as `other`. */
import { ERRORS } from './errors.js';
import { ASK_STATUSES, CHANNELS, LAYERS } from './vocabulary.js';

/** `labels` null: the names that the server gives at start-up (its own routes), bounded by the door table. */
export interface MetricRow {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: Readonly<Record<string, readonly string[] | null>>;
  /** Upper bounds, in the metric's own unit; histograms only. */
  readonly buckets?: readonly number[];
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** People are waited for as well, for minutes. */
const LONG_SECONDS = [...SECONDS, 60, 120, 300, 600];
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048];
const APPS = ['gateway', 'worker', 'approver'];
const QUEUES = ['evaluate', 'asks', 'outbox'];
/** What the house needs from outside of its processes. */
export const SERVICES = ['database', 'queue', 'bus'] as const;
/** A service whose outages are told. */
export type ServiceName = (typeof SERVICES)[number];

const counter = (help: string, labels: MetricRow['labels'] = {}) => ({ kind: 'counter', help, labels }) as const;
const gauge = (help: string, labels: MetricRow['labels'] = {}) => ({ kind: 'gauge', help, labels }) as const;
const histogram = (help: string, labels: MetricRow['labels'] = {}, buckets: readonly number[] = SECONDS) =>
  ({ kind: 'histogram', help, labels, buckets }) as const;

/** Name -> what it measures. Durations in seconds, sizes in bytes unless the help says otherwise. */
export const METRICS = {
  countersign_calls_total: counter('Calls whose first outcome was stored', {
    decision: ['allow', 'deny', 'pending'],
    layer: [...LAYERS, 'approval', 'internal'],
  }),
  countersign_asks_ended_total: counter('Asks that ended here', { status: ASK_STATUSES, channel: CHANNELS }),
  countersign_door_seconds: histogram(
    'Time from the first byte of a request to the end of its answer',
    { app: APPS, door: null, status: ['2xx', '3xx', '4xx', '5xx'] },
    LONG_SECONDS,
  ),
  countersign_errors_total: counter('Failures told at a door, by code of the error table', {
    app: APPS,
    code: Object.keys(ERRORS),
  }),
  countersign_refused_total: counter('Requests refused early, by the limit that was reached', {
    limit: ['in_flight', 'body_bytes', 'event_loop', 'waiters', 'queue'],
  }),
  countersign_requests_in_flight: gauge('Requests that are being answered', { app: APPS }),
  countersign_body_bytes: gauge('Bytes of request bodies that are held in memory', { app: APPS }),
  countersign_verdict_seconds: histogram('Time from sending a call to its first outcome, at the gateway'),
  countersign_waiters: gauge('Calls that somebody waits for at this gateway'),
  countersign_waiting_chars: gauge('Characters of calls that are kept to be sent again'),
  countersign_gathered_calls: gauge('Calls that have not left for the queue yet'),
  countersign_batch_calls: histogram('Calls in one `evaluate` job', {}, SIZES),
  countersign_enqueue_seconds: histogram('Time to put one job into the queue'),
  countersign_resends_total: counter('Calls sent again because their job was lost'),
  countersign_lost_replies_total: counter('Outcomes found by looking them up: their reply was lost'),
  countersign_queue_wait_seconds: histogram('Time that a job lay in the queue, by the hosts’ clocks', {
    queue: QUEUES,
  }),
  countersign_queue_depth: gauge('Jobs that wait to be taken', { queue: QUEUES }),
  countersign_jobs_failed_total: counter('Jobs that failed for good or are tried again', { queue: QUEUES }),
  countersign_stalled_jobs_total: counter('Jobs taken over from a worker that stopped answering', { queue: QUEUES }),
  countersign_round_seconds: histogram('Time of one round: load, judge, append'),
  countersign_round_calls: histogram('Calls in one round', {}, SIZES),
  countersign_append_seconds: histogram('Time of one append statement of a round'),
  countersign_round_conflicts_total: counter('Families that met a conflict and were decided again'),
  countersign_breakers_opened_total: counter('Sessions that were stopped by their breaker'),
  countersign_sweeps_total: counter('Looks for asks that are due'),
  countersign_sweep_ended_total: counter('Asks that a sweep ended because their timer was lost'),
  countersign_open_asks: gauge('Asks that wait for people, counted up to 10,000'),
  countersign_oldest_ask_seconds: gauge('Age of the oldest open ask'),
  countersign_kill_switches: gauge('Kill switches that are engaged'),
  countersign_follower_lag_seconds: gauge('How far behind readers of the feed must stay: age of the oldest open write'),
  countersign_database_connections: gauge('Connections of the pool', { state: ['idle', 'busy', 'waiting'] }),
  countersign_sockets: gauge('Open live connections', { app: APPS }),
  countersign_service_up: gauge('1 while the service answers, 0 during an outage', { service: SERVICES }),
  countersign_outages_total: counter('Outages that began', { service: SERVICES }),
  countersign_service_errors_total: counter('Failures that a service or its connections reported', {
    service: SERVICES,
  }),
  countersign_workers: gauge('Workers that this gateway hears of'),
  countersign_event_loop_lag_seconds: gauge('How late timers are; sustained lag refuses new work', { app: APPS }),
  countersign_log_lines_left_out_total: counter('Log lines left out because too many like them came'),
} as const satisfies Readonly<Record<string, MetricRow>>;

/** Name of a metric of the table. */
export type MetricName = keyof typeof METRICS;
type NamesOf<K extends MetricRow['kind']> = {
  [N in MetricName]: (typeof METRICS)[N]['kind'] extends K ? N : never;
}[MetricName];
/** Label values; one that its row does not list is counted as `other`. */
export type MetricLabels = Readonly<Record<string, string>>;

/** What rooms report to. Never throws, never waits. Given as a dependency: there is no global one. */
export interface Meter {
  /** Adds 1, or `by`. */
  count(name: NamesOf<'counter'>, labels?: MetricLabels, by?: number): void;
  /** Adds one observation: seconds for durations. */
  observe(name: NamesOf<'histogram'>, value: number, labels?: MetricLabels): void;
  /** Sets a value. */
  set(name: NamesOf<'gauge'>, value: number, labels?: MetricLabels): void;
  /** A value that is read when the metrics are; several readers of the same labels add up. Null, or a failure: no sample. The result ends it. */
  read(name: NamesOf<'gauge'>, reader: () => number | null | Promise<number | null>, labels?: MetricLabels): () => void;
}

/** Measures nothing. */
export const NO_METER: Meter = {
  count: () => undefined,
  observe: () => undefined,
  set: () => undefined,
  read: () => () => undefined,
};
