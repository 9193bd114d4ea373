/** The metrics table over prom-client, in a registry of its own: several apps may share one process, or one registry. */
import { METRICS, type Meter, type MetricLabels, type MetricName, type MetricRow } from '@countersign/contracts';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  readonly meter: Meter;
  /** All samples in the text form of Prometheus. Takes at most 1 s: a reader that does not answer gives no sample. */
  text(): Promise<{ contentType: string; body: string }>;
  /** Lets a label take these values, besides those of the table: doors, known only once routes stand. */
  allow(name: MetricName, label: string, values: readonly string[]): void;
}

interface Reader {
  readonly name: MetricName;
  readonly labels: MetricLabels;
  readonly read: () => number | null | Promise<number | null>;
}

const READ_LIMIT_MS = 1_000;
/** The labels of each metric, as pairs. */
const LABELS = Object.fromEntries(
  Object.entries(METRICS as Record<MetricName, MetricRow>).map(([name, { labels }]) => [name, Object.entries(labels)]),
) as Record<MetricName, [string, readonly string[] | null][]>;
/** What a label says of a value that is not in its list: the number of time series stays bounded whatever comes in. */
const OTHER = 'other';

/** A registry with every metric of the table, and the process's own: memory, CPU, event loop, garbage collection. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const series = makeSeries(registry);
  const known = new Map<string, Set<string>>();
  const readers = new Set<Reader>();
  const bounded = (name: MetricName, labels: MetricLabels): Record<string, string> => {
    const made: Record<string, string> = {};
    for (const [label, values] of LABELS[name]) {
      const value = labels[label] ?? OTHER;
      const listed = values?.includes(value) === true || known.get(`${name} ${label}`)?.has(value) === true;
      made[label] = listed ? value : OTHER;
    }
    return made;
  };
  const meter: Meter = {
    count: (name, labels = {}, by = 1) => series.counters.get(name)?.inc(bounded(name, labels), by),
    observe: (name, value, labels = {}) => series.histograms.get(name)?.observe(bounded(name, labels), value),
    set: (name, value, labels = {}) => series.gauges.get(name)?.set(bounded(name, labels), value),
    read: (name, read, labels = {}) => {
      const reader: Reader = { name, labels: bounded(name, labels), read };
      readers.add(reader);
      return () => {
        readers.delete(reader);
        series.gauges.get(name)?.remove(reader.labels);
      };
    },
  };
  return {
    meter,
    allow: (name, label, values) => {
      const key = `${name} ${label}`;
      known.set(key, new Set([...(known.get(key) ?? []), ...values]));
    },
    text: async () => {
      await readAll(readers, series.gauges);
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}

interface Series {
  readonly counters: ReadonlyMap<MetricName, Counter>;
  readonly gauges: ReadonlyMap<MetricName, Gauge>;
  readonly histograms: ReadonlyMap<MetricName, Histogram>;
}

function makeSeries(registry: Registry): Series {
  const counters = new Map<MetricName, Counter>();
  const gauges = new Map<MetricName, Gauge>();
  const histograms = new Map<MetricName, Histogram>();
  for (const [name, row] of Object.entries(METRICS) as [MetricName, MetricRow][]) {
    const options = { name, help: row.help, labelNames: Object.keys(row.labels), registers: [registry] };
    switch (row.kind) {
      case 'counter':
        counters.set(name, new Counter(options));
        break;
      case 'gauge':
        gauges.set(name, new Gauge(options));
        break;
      case 'histogram':
        histograms.set(name, new Histogram({ ...options, buckets: [...(row.buckets ?? [])] }));
        break;
      default: {
        const never: never = row.kind;
        throw new Error(`unknown kind of metric ${String(never)}`);
      }
    }
  }
  return { counters, gauges, histograms };
}

/** Readers of one series add up; when one of them has no answer the series has none: a sum of a part would be a lie. */
async function readAll(readers: ReadonlySet<Reader>, gauges: Series['gauges']): Promise<void> {
  const all = [...readers];
  const values = await Promise.all(all.map((reader) => valueInTime(reader)));
  const sums = new Map<string, { reader: Reader; sum: number | null }>();
  all.forEach((reader, index) => {
    const key = JSON.stringify([reader.name, reader.labels]);
    const value = values[index] ?? null;
    const before = sums.get(key);
    const sum = before === undefined ? value : before.sum === null || value === null ? null : before.sum + value;
    sums.set(key, { reader, sum });
  });
  for (const { reader, sum } of sums.values()) {
    const gauge = gauges.get(reader.name);
    if (sum === null) gauge?.remove(reader.labels);
    else gauge?.set(reader.labels, sum);
  }
}

async function valueInTime(reader: Reader): Promise<number | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), READ_LIMIT_MS);
  });
  const read = (async () => reader.read())().catch(() => null);
  const value = await Promise.race([read, late]);
  clearTimeout(timer);
  return value === null || !Number.isFinite(value) ? null : value;
}
