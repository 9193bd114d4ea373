/** The port of traces over OpenTelemetry's SDK. Registers nothing globally: several apps may share one process. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span, SpanStart, Tracing, TraceParent } from '@countersign/contracts';
import {
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { endsWithin } from '../ends-within.js';
import type { OpenTracing, TracingOptions } from './tracing.js';

const CLOSE_MS = 2_000;
/** Spans that wait to be sent; more are dropped, so that a collector that is away costs no memory. */
const MOST_WAITING = 4_096;
const SEND_LIMIT_MS = 3_000;

export function openTelemetry(options: TracingOptions & { readonly endpoint: string }): OpenTracing {
  const exporter = new OTLPTraceExporter({
    url: `${options.endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: readHeaders(options.headers ?? ''),
    timeoutMillis: SEND_LIMIT_MS,
  });
  const processor = new BatchSpanProcessor(telling(exporter, options.onError), {
    maxQueueSize: MOST_WAITING,
    exportTimeoutMillis: SEND_LIMIT_MS,
    scheduledDelayMillis: 1_000,
  });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': options.service }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.sample ?? 1) }),
    spanProcessors: [processor],
    spanLimits: { attributeCountLimit: 32, attributeValueLengthLimit: 256, linkCountLimit: 256, eventCountLimit: 8 },
  });
  return {
    tracing: tracingOver(provider.getTracer('countersign')),
    close: async () => {
      await endsWithin(CLOSE_MS, provider.shutdown());
    },
  };
}

/** The exporter keeps its failures to itself; operators hear of them. */
function telling(exporter: OTLPTraceExporter, onError: (error: Error) => void): SpanExporter {
  return {
    export: (spans: ReadableSpan[], done) =>
      exporter.export(spans, (result) => {
        if (result.error) onError(new Error(`traces could not be sent: ${result.error.message || result.error.name}`));
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
  };
}

function tracingOver(tracer: Tracer): Tracing {
  const here = new AsyncLocalStorage<TraceParent | null>();
  const active = (): TraceParent | null => here.getStore() ?? null;
  return {
    on: true,
    active,
    start: (name, start = {}) => {
      const parent = start.parent === undefined ? active() : start.parent;
      return spanOf(tracer.startSpan(name, spanOptions(start), contextOf(parent)));
    },
    run: (span, work) => here.run(span.context, work),
  };
}

const KINDS = {
  server: SpanKind.SERVER,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
} as const;

function spanOptions({ kind = 'internal', attributes = {}, links = [] }: SpanStart) {
  const contexts = links.map(parse).filter((context) => context !== null);
  return { kind: KINDS[kind], attributes, links: contexts.map((context) => ({ context })) };
}

function spanOf(span: ReturnType<Tracer['startSpan']>): Span {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    context: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    note: (attributes) => void span.setAttributes(attributes),
    end: (failed = false) => {
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

function contextOf(parent: TraceParent | null): Context {
  const context = parent === null ? null : parse(parent);
  return context === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, context);
}

const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Null for what is no valid context: it comes from clients. */
function parse(text: TraceParent): SpanContext | null {
  const [, traceId, spanId, flags] = TRACE_PARENT.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(context) ? context : null;
}

function readHeaders(text: string): Record<string, string> {
  const pairs = text.split(',').map((pair) => pair.split('='));
  return Object.fromEntries(
    pairs.flatMap(([name = '', ...rest]) => (name.trim() === '' ? [] : [[name.trim(), decode(rest.join('=').trim())]])),
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
