/** Opens traces when an exporter is configured; without one nothing of OpenTelemetry is loaded. */
import { NO_TRACING, type Tracing } from '@countersign/contracts';

export interface TracingOptions {
  /** Base URL of an OTLP/HTTP collector, such as http://127.0.0.1:4318; null: no traces. */
  readonly endpoint: string | null;
  /** Headers for the collector, as `name=value,name=value`; values are secrets. */
  readonly headers?: string | null;
  /** Name of this process among the others. */
  readonly service: string;
  /** Share of new traces that are kept, 0 to 1; 1 unless given. A trace that began elsewhere keeps its own choice. */
  readonly sample?: number;
  /** Hears of spans that could not be sent. */
  readonly onError: (error: Error) => void;
}

export interface OpenTracing {
  readonly tracing: Tracing;
  /** Sends what waits, at most 2 s. */
  close(): Promise<void>;
}

export async function openTracing(options: TracingOptions): Promise<OpenTracing> {
  const { endpoint } = options;
  if (endpoint === null) return { tracing: NO_TRACING, close: async () => undefined };
  const { openTelemetry } = await import('./open-telemetry.js');
  return openTelemetry({ ...options, endpoint });
}
