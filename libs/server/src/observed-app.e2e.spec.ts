/** A server under load, measured and traced, over real sockets. */
import { connect } from 'node:net';
import { Controller, Get, Module, Post, Query, Req } from '@nestjs/common';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import {
  authenticate,
  createLogger,
  createMetrics,
  createServerApp,
  openTracing,
  readBytes,
  type Metrics,
  type Principal,
  type ServerApp,
  type ServerAppOptions,
} from './index.js';
import type { Tracing } from '@countersign/contracts';
import { hashSecret } from '@countersign/ledger';
import { startCollector } from './testing/otlp-collector.js';

jest.setTimeout(60_000);

const KEYS: Readonly<Record<string, Principal['role']>> = { agent_secret: 'agent', admin_secret: 'admin' };
const principalOf = (role: Principal['role']) =>
  ({ keyId: `key_${role}`, tenantId: 't1', role, personId: null, personName: null }) as unknown as Principal;
const byHash = new Map(Object.entries(KEYS).map(([secret, role]) => [hashSecret(secret), principalOf(role)]));
const authenticator = authenticate({ keys: { find: async (hash: string) => byHash.get(hash) ?? null } });

const held: (() => void)[] = [];
const running: { app?: ServerApp; tracing?: Tracing } = {};

@Controller()
class TestController {
  @Post('/v1/sessions')
  open() {
    return { spans: running.tracing?.active() ?? null };
  }

  @Get('/v1/tool-calls/:id')
  async look(@Query('hold') hold?: string) {
    if (hold) await new Promise<void>((resolve) => held.push(resolve));
    return { done: true };
  }

  @Post('/hooks/:agent')
  async hook(@Req() request: FastifyRequest) {
    const share = request.bodyShare;
    try {
      return { bytes: (await readBytes(request.raw, { limit: 1_000_000, drainLimit: 4, share })).length };
    } catch (error) {
      return { refused: (error as { code: string }).code };
    }
  }
}

@Module({ controllers: [TestController] })
class TestModule {}

const lines: string[] = [];
const logger = createLogger({ name: 'test', level: 'info', stream: { write: (line) => void lines.push(line) } });

async function start(more: Partial<ServerAppOptions> = {}): Promise<{ app: ServerApp; metrics: Metrics }> {
  const metrics = createMetrics();
  const app = await createServerApp(TestModule, {
    app: 'gateway',
    host: '127.0.0.1',
    port: 0,
    logger,
    authenticator,
    rawRoutes: ['/hooks/:agent'],
    metrics: { metrics, token: null },
    renderFailure: (error, request) =>
      request.url.startsWith('/hooks') ? { status: 200, body: { deny: error.code } } : null,
    ...more,
  });
  running.app = app;
  return { app, metrics };
}

afterEach(async () => {
  held.splice(0).forEach((release) => release());
  await running.app?.close();
  delete running.app;
  delete running.tracing;
});

const headers = { authorization: 'Bearer agent_secret', 'content-type': 'application/json' };
const get = (app: ServerApp, path: string, extra: Record<string, string> = {}) =>
  fetch(app.url + path, { headers: { ...headers, ...extra } });

/** Asks again and again, ten seconds at the most. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const giveUp = performance.now() + 10_000;
  while (!(await holds())) {
    if (performance.now() > giveUp) throw new Error('it did not come to be');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('a server with more requests than it may hold', () => {
  it('refuses the next one at once, with the time to come back, and hooks in their own form', async () => {
    const { app, metrics } = await start({ limits: { maxInFlight: 2 } });
    const waiting = [1, 2].map(() => get(app, '/v1/tool-calls/c?hold=1'));
    await until(() => held.length === 2);
    const refused = await get(app, '/v1/tool-calls/c');
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.json()).toMatchObject({ error: { code: 'overloaded' } });
    const hook = await fetch(`${app.url}/hooks/claude-code`, { method: 'POST', headers, body: '{}' });
    expect({ status: hook.status, body: await hook.json() }).toEqual({ status: 200, body: { deny: 'overloaded' } });
    expect((await get(app, '/healthz')).status).toBe(200);
    expect((await metrics.text()).body).toContain('countersign_requests_in_flight{app="gateway"} 2');
    held.splice(0).forEach((release) => release());
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await get(app, '/v1/tool-calls/c')).status).toBe(200);
  });

  it('counts clients that went away as gone', async () => {
    const { app } = await start({ limits: { maxInFlight: 1 } });
    const gone = new AbortController();
    const left = fetch(`${app.url}/v1/tool-calls/c?hold=1`, { headers, signal: gone.signal }).catch(() => undefined);
    await until(() => held.length === 1);
    gone.abort();
    await left;
    await until(async () => (await get(app, '/v1/tool-calls/c')).status === 200);
  });
});

describe('bodies together', () => {
  it('never take more memory than their budget: what does not fit is refused, and the refusal arrives', async () => {
    const { app, metrics } = await start({ limits: { maxBodyBytes: 300_000 } });
    // One client has sent most of what there is room for, and goes on slowly.
    const { port } = new URL(app.url);
    const slow = connect(Number(port), '127.0.0.1');
    slow.on('error', () => undefined);
    slow.write(
      `POST /hooks/x HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-length: 290000\r\n\r\n${'x'.repeat(280_000)}`,
    );
    await until(async () => (await metrics.text()).body.includes('countersign_body_bytes{app="gateway"} 280000'));
    const refused = await fetch(`${app.url}/v1/sessions`, {
      method: 'POST',
      headers,
      body: `"${'y'.repeat(200_000)}"`,
    });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    const hook = await fetch(`${app.url}/hooks/x`, { method: 'POST', headers, body: 'z'.repeat(200_000) });
    expect(await hook.json()).toEqual({ refused: 'overloaded' });
    expect((await metrics.text()).body).toContain('countersign_refused_total{limit="body_bytes"} 2');
    slow.destroy();
    const large = { method: 'POST', headers, body: `"${'y'.repeat(200_000)}"` };
    await until(async () => (await fetch(`${app.url}/v1/sessions`, large)).status === 201);
  });
});

describe('/metrics', () => {
  it('tells of doors by route, never by what stands in the url', async () => {
    const { app } = await start();
    await get(app, '/v1/tool-calls/s3cret?hold=');
    await get(app, '/v1/tool-calls/s3cret?s3cret=s3cret');
    await get(app, '/nowhere/s3cret');
    const body = await (await get(app, '/metrics')).text();
    expect(body).toContain('countersign_door_seconds_count{app="gateway",door="/v1/tool-calls/:id",status="2xx"} 1');
    expect(body).toContain('countersign_door_seconds_count{app="gateway",door="/v1/tool-calls/:id",status="4xx"} 1');
    expect(body).toContain('countersign_door_seconds_count{app="gateway",door="other",status="4xx"} 1');
    expect(body).toContain('countersign_errors_total{app="gateway",code="door.unknown"} 1');
    expect(body).not.toContain('s3cret');
  });

  it('asks whoever is elsewhere for a key of auditor or admin, or the token', async () => {
    const { app } = await start();
    const far = { 'x-forwarded-for': '10.0.0.1' };
    expect((await get(app, '/metrics', far)).status).toBe(403);
    expect((await get(app, '/metrics', { ...far, authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await get(app, '/metrics', { ...far, authorization: 'Bearer admin_secret' })).status).toBe(200);
    await app.close();
    const token = 'token-of-the-scraper';
    const closed = await start({ metrics: { metrics: createMetrics(), token } });
    expect((await get(closed.app, '/metrics', { authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await get(closed.app, '/metrics')).status).toBe(403);
  });
});

describe('traces', () => {
  it('go on in the trace of the client, and hold routes and ids, nothing that was sent', async () => {
    const collector = await startCollector();
    const errors: Error[] = [];
    const options = { endpoint: collector.url, headers: 'x-key=a%20b', service: 'countersign-test' };
    const { tracing, close } = await openTracing({ ...options, onError: (error) => errors.push(error) });
    running.tracing = tracing;
    const { app } = await start({ tracing });
    const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const answer = await fetch(`${app.url}/v1/sessions?s3cret=1`, {
      method: 'POST',
      headers: { ...headers, traceparent: parent },
      body: '{"s3cret":"s3cret"}',
    });
    const { spans } = (await answer.json()) as { spans: string };
    await fetch(`${app.url}/v1/sessions`, { method: 'POST', headers: { ...headers, traceparent: 'junk' }, body: '{}' });
    await get(app, '/healthz');
    await app.close();
    await close();
    expect(errors).toEqual([]);
    expect(collector.headers['x-key']).toBe('a b');
    expect(collector.spans.map(({ service, name }) => `${service} ${name}`)).toEqual([
      'countersign-test POST /v1/sessions',
      'countersign-test POST /v1/sessions',
    ]);
    const [first, second] = collector.spans;
    expect(first).toMatchObject({ traceId: '0af7651916cd43dd8448eb211c80319c', parentSpanId: 'b7ad6b7169203331' });
    // What ran for the request found its span, across the reading of the body.
    expect(spans).toBe(`00-${first?.traceId}-${first?.spanId}-01`);
    expect(second?.parentSpanId).toBe('');
    expect(collector.text()).not.toContain('s3cret');
    await collector.close();
  });

  it('tell once that their collector is away, and hold up nobody', async () => {
    const errors: Error[] = [];
    const options = { endpoint: 'http://127.0.0.1:9', service: 'x' };
    const { tracing, close } = await openTracing({ ...options, onError: (error) => errors.push(error) });
    tracing.start('one').end();
    await until(() => errors.length > 0);
    await close();
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining('traces could not be sent')]);
  });

  it('cost nothing without a collector: nothing of OpenTelemetry is loaded', async () => {
    const { tracing } = await openTracing({ endpoint: null, service: 'x', onError: () => undefined });
    expect(tracing.on).toBe(false);
    expect(tracing.start('one').context).toBeNull();
    expect(tracing.run(tracing.start('one'), () => 7)).toBe(7);
  });
});

it('a flood of refusals is a few lines, and the rest is counted', async () => {
  const { app, metrics } = await start({ limits: { maxInFlight: 0 } });
  lines.length = 0;
  for (let index = 0; index < 60; index += 1) expect((await get(app, '/v1/tool-calls/c')).status).toBe(503);
  expect(lines).toHaveLength(20);
  expect((await metrics.text()).body).toContain('countersign_log_lines_left_out_total 40');
});
