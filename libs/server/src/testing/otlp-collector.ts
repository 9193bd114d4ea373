/** A collector of traces for tests: speaks OTLP over HTTP with JSON, as the real ones do. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly links: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 2: failed. */
  readonly statusCode: number;
}

export interface Collector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Headers of the last request. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** Bodies as they came. */
  readonly text: () => string;
  close(): Promise<void>;
}

interface Pair {
  readonly key: string;
  readonly value: Record<string, unknown>;
}
interface OtlpSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly links?: { spanId: string }[];
  readonly attributes?: Pair[];
  readonly status?: { code?: number };
}
interface OtlpBody {
  readonly resourceSpans: { resource: { attributes: Pair[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  let headers: Record<string, unknown> = {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      headers = request.headers;
      const text = Buffer.concat(chunks).toString('utf8');
      bodies.push(text);
      if (request.url === '/v1/traces') spans.push(...read(JSON.parse(text) as OtlpBody));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"partialSuccess":{}}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    get headers() {
      return headers;
    },
    text: () => bodies.join('\n'),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function read(body: OtlpBody): CollectedSpan[] {
  return body.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) => scope.spans.map((span) => collected(span, resource.attributes))),
  );
}

function collected(span: OtlpSpan, resource: readonly Pair[]): CollectedSpan {
  const { name, traceId, spanId, parentSpanId = '', links = [], attributes = [], status = {} } = span;
  const service = String(valuesOf(resource)['service.name']);
  const linked = links.map((link) => link.spanId);
  return {
    ...{ service, name, traceId, spanId, parentSpanId },
    links: linked,
    attributes: valuesOf(attributes),
    statusCode: status.code ?? 0,
  };
}

function valuesOf(pairs: readonly Pair[]): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));
}
