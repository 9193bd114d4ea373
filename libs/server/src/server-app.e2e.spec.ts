/** The doors over real sockets, with a small module behind them. */
import { request as httpRequest, Agent } from 'node:http';
import { connect } from 'node:net';
import { Body, Controller, Delete, Get, Inject, Module, Param, Post, Query, Req } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DoorError, endSessionBodySchema, pageQuerySchema, type InspectedJson } from '@countersign/contracts';
import { hashSecret } from '@countersign/ledger';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  authenticate,
  createCookieSessions,
  createLogger,
  createServerApp,
  CurrentPrincipal,
  InspectedBody,
  noteForLog,
  type IdempotencyStore,
  type IdempotentRequest,
  type Principal,
  type ServerApp,
  type ServerAppOptions,
} from './index.js';

const SECRETS = { agent: 'cs_agent_0123456789', admin: 'cs_admin_0123456789' } as const;
const principals = new Map<string, Principal>(
  (['agent', 'admin'] as const).map((role) => [
    hashSecret(SECRETS[role]),
    {
      keyId: `key_${role}`,
      tenantId: 't1',
      role,
      personId: null,
      personName: null,
      policy: 'default',
      mode: null,
      roots: [],
      home: null,
      sameHost: false,
    },
  ]),
);
const keySource = { keys: { find: async (hash: string) => principals.get(hash) ?? null } };

/** The ledger's rules, in memory. */
function memoryStore(): IdempotencyStore {
  const kept = new Map<string, { hash: string; answer: { status: number; response: string } | null }>();
  const idOf = ({ tenantId, scope, key }: IdempotentRequest) => JSON.stringify([tenantId, scope, key]);
  return {
    begin: async (request) => {
      const known = kept.get(idOf(request));
      if (!known) {
        kept.set(idOf(request), { hash: request.requestHash, answer: null });
        return { kind: 'first' };
      }
      if (known.hash !== request.requestHash) return { kind: 'reused' };
      return known.answer ? { kind: 'repeated', ...known.answer } : { kind: 'running' };
    },
    finish: async (request, answer) => void kept.set(idOf(request), { hash: request.requestHash, answer }),
    forget: async (request) => void kept.delete(idOf(request)),
  };
}

const STATE = Symbol('state');
interface State {
  ran: number;
  release: (() => void)[];
}
const state: State = { ran: 0, release: [] };

@Controller('/v1/sessions')
class SessionsController {
  constructor(@Inject(STATE) private readonly known: State) {}

  @Post()
  open(@CurrentPrincipal() who: Principal, @Body({ schema: z.object({ agent: z.string() }) }) body: { agent: string }) {
    return { by: who.keyId, ...body };
  }

  @Post(':id/cancel')
  async cancel(@Param('id') id: string, @Body({ schema: endSessionBodySchema }) body: { reason?: string }) {
    this.known.ran += 1;
    if (id === 'gone') throw new DoorError('session.unknown');
    if (id === 'bug') throw new Error('a secret detail');
    if (id === 'away') throw Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
    if (id === 'full') throw Object.assign(new Error('x'), { code: 'overloaded' });
    if (id === 'slow') await new Promise<void>((resolve) => this.known.release.push(resolve));
    return { id, ran: this.known.ran, reason: body.reason ?? null };
  }
}

@Controller('/v1/tool-calls')
class CallsController {
  @Post()
  call(@InspectedBody() body: InspectedJson, @Req() request: FastifyRequest) {
    noteForLog(request, { callId: 'call_1' });
    return { problems: body.problems.length, keys: Object.keys((body.value as { args: object }).args) };
  }

  @Get(':id')
  get(@Param('id') id: string, @Query({ schema: pageQuerySchema }) query: { limit: number }) {
    return { id, limit: query.limit };
  }
}

@Controller()
class OtherController {
  @Post('/hooks/:agent')
  async hook(@Req() request: FastifyRequest) {
    let bytes = 0;
    for await (const chunk of request.raw as AsyncIterable<Buffer>) bytes += chunk.length;
    return { bytes, principal: request.principal };
  }

  @Get('/page')
  page() {
    return 'page';
  }
}

@Module({
  controllers: [SessionsController, CallsController, OtherController],
  providers: [{ provide: STATE, useValue: state }],
})
class TestModule {}

const cookies = createCookieSessions('x'.repeat(32));
const lines: string[] = [];
const logger = createLogger({ name: 'test', level: 'debug', stream: { write: (line) => void lines.push(line) } });
const settings: ServerAppOptions = {
  app: 'gateway',
  host: '127.0.0.1',
  port: 0,
  allowedHosts: ['countersign.example'],
  logger,
  authenticator: authenticate(keySource),
  cookies,
  idempotency: memoryStore(),
  probes: { good: async () => undefined },
  openRoutes: ['/page'],
  rawRoutes: ['/hooks/:agent'],
  lenientRoutes: ['/v1/tool-calls'],
  bodyLimit: 100_000,
  renderFailure: (error, request) =>
    request.url.startsWith('/hooks/') ? { status: 200, body: { refused: error.code } } : null,
};

let server: ServerApp;
beforeAll(async () => {
  server = await createServerApp(TestModule, settings);
});
afterAll(() => server.close());
beforeEach(() => {
  lines.length = 0;
});

interface Sent {
  method?: string;
  key?: string | null;
  body?: unknown;
  text?: string;
  headers?: Record<string, string>;
}
function headersOf({ key = SECRETS.agent, headers = {} }: Sent, hasBody: boolean): Record<string, string> {
  const authorization = key === null ? {} : { authorization: `Bearer ${key}` };
  return { ...authorization, ...(hasBody ? { 'content-type': 'application/json' } : {}), ...headers };
}

async function send(path: string, sent: Sent = {}) {
  const payload = sent.text ?? (sent.body === undefined ? null : JSON.stringify(sent.body));
  const response = await fetch(server.url + path, {
    method: sent.method ?? (payload === null ? 'GET' : 'POST'),
    body: payload,
    headers: headersOf(sent, payload !== null),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const body = (isJson ? JSON.parse(text) : text) as Record<string, unknown>;
  const code = (body['error'] as { code: string } | undefined)?.code;
  return { status: response.status, headers: response.headers, body, code };
}

/** fetch may not set Host. */
function sendRaw(path: string, headers: Record<string, string>, method = 'GET'): Promise<number> {
  return new Promise((resolve, reject) => {
    httpRequest(server.url + path, { method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

describe('keys and roles', () => {
  it.each([
    [null, 401, 'auth.missing'],
    ['short', 401, 'auth.unknown_key'],
    ['cs_agent_unknown_unknown', 401, 'auth.unknown_key'],
    [SECRETS.admin, 403, 'auth.wrong_role'],
  ])('%s: %i %s', async (key, status, code) => {
    const answer = await send('/v1/sessions', { key, body: { agent: 'a' } });
    expect(answer).toMatchObject({ status, code });
  });

  it('lets the right role in and gives it to the controller', async () => {
    expect(await send('/v1/sessions', { body: { agent: 'a' } })).toMatchObject({
      status: 201,
      body: { by: 'key_agent', agent: 'a' },
    });
  });

  it('serves open routes and doors without roles to anybody', async () => {
    expect(await send('/page', { key: null })).toMatchObject({ status: 200, body: 'page' });
    expect(await send('/hooks/x', { key: null, text: '{{{' })).toMatchObject({ status: 201, body: { bytes: 3 } });
  });

  it('refuses the key before it reads the body', async () => {
    expect((await send('/v1/sessions', { key: null, text: '{' })).code).toBe('auth.missing');
  });
});

describe('cookie sessions', () => {
  const { session, setCookie } = cookies.issue(hashSecret(SECRETS.agent));
  const cookie = setCookie.split(';')[0]!;

  it('read with the cookie alone, change only with the token', async () => {
    expect(await send('/v1/tool-calls/c1', { key: null, headers: { cookie } })).toMatchObject({ status: 200 });
    const without = await send('/v1/sessions', { key: null, body: { agent: 'a' }, headers: { cookie } });
    expect(without).toMatchObject({ status: 403, code: 'auth.csrf' });
    const headers = { cookie, 'x-csrf-token': session.csrf };
    expect(await send('/v1/sessions', { key: null, body: { agent: 'a' }, headers })).toMatchObject({ status: 201 });
    const forged = { cookie: `${cookie.slice(0, -2)}AA`, 'x-csrf-token': session.csrf };
    expect((await send('/v1/sessions', { key: null, body: { agent: 'a' }, headers: forged })).code).toBe(
      'auth.missing',
    );
  });
});

describe('hosts', () => {
  it.each([
    [{ host: 'evil.example' }, 403],
    [{ host: 'evil.example:4610' }, 403],
    [{ host: 'localhost.evil.example' }, 403],
    [{ host: 'localhost@evil.example' }, 403],
    [{ host: 'localhost:4610' }, 200],
    [{ host: '[::1]:4610' }, 200],
    [{ host: 'COUNTERSIGN.example' }, 200],
    [{ host: 'localhost:1', origin: 'http://localhost:1' }, 200],
    [{ host: 'localhost:1', origin: 'http://localhost:2' }, 403],
    [{ host: 'localhost:1', origin: 'https://countersign.example' }, 200],
    [{ host: 'localhost:1', origin: 'https://evil.example' }, 403],
    [{ host: 'localhost:1', origin: 'null' }, 403],
  ])('%j: %i', async (headers, status) => {
    const authorization = `Bearer ${SECRETS.agent}`;
    expect(await sendRaw('/v1/tool-calls/c1', { ...headers, authorization })).toBe(status);
  });

  it('answers health checks under any name', async () => {
    expect(await sendRaw('/healthz', { host: '10.1.2.3' })).toBe(200);
    expect(await sendRaw('/hooks/x', { host: 'evil.example' }, 'POST')).toBe(200);
  });
});

describe('bodies', () => {
  it.each([
    ['{', 400, 'request.malformed'],
    ['{"agent":"a","agent":"b"}', 400, 'request.malformed'],
    ['{"agent":9007199254740993}', 400, 'request.malformed'],
    ['{"agent":"\\ud800"}', 400, 'request.malformed'],
    [`{"agent":${'['.repeat(300)}${']'.repeat(300)}}`, 400, 'request.malformed'],
    ['{"agent":5}', 400, 'request.invalid'],
    ['[]', 400, 'request.invalid'],
    ['', 400, 'request.invalid'],
    [`{"agent":"${'x'.repeat(100_000)}"}`, 413, 'request.too_large'],
  ])('%#: %j', async (text, status, code) => {
    expect(await send('/v1/sessions', { method: 'POST', text })).toMatchObject({ status, code });
  });

  it('names what is wrong and where', async () => {
    const { body } = await send('/v1/sessions', { body: { agent: 5 } });
    expect(body).toMatchObject({ error: { details: { problems: [{ path: 'agent' }] } } });
    const flawed = await send('/v1/sessions', { text: '{"x":[{"a":1,"a":2}]}' });
    expect(flawed.body).toMatchObject({ error: { details: { problem: 'duplicate_key', path: ['x', 0, 'a'] } } });
  });

  it('refuses bytes that are not UTF-8', async () => {
    const response = await fetch(`${server.url}/v1/sessions`, {
      method: 'POST',
      body: Buffer.from([0x22, 0xff, 0x22]),
      headers: { authorization: `Bearer ${SECRETS.agent}` },
    });
    expect(response.status).toBe(400);
  });

  it('reads JSON whatever its type, and takes no form', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect(await send('/v1/sessions', { body: { agent: 'a' }, headers })).toMatchObject({ status: 201 });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await send('/v1/sessions', { text: 'agent=a', headers: form })).toMatchObject({ code: 'request.malformed' });
  });

  it('hands flaws on where the controller judges them, and keeps every key', async () => {
    const text = '{"args":{"__proto__":1,"constructor":2,"a":1,"a":2}}';
    expect(await send('/v1/tool-calls', { text })).toMatchObject({
      status: 201,
      body: { problems: 1, keys: ['__proto__', 'constructor', 'a'] },
    });
  });

  it('takes an absent optional body as empty and checks queries', async () => {
    expect(await send('/v1/sessions/s1/cancel', { method: 'POST' })).toMatchObject({
      status: 201,
      body: { reason: null },
    });
    expect(await send('/v1/tool-calls/c1?limit=7')).toMatchObject({ body: { id: 'c1', limit: 7 } });
    expect(await send('/v1/tool-calls/c1?limit=0')).toMatchObject({ status: 400, code: 'request.invalid' });
    const long = 'é'.repeat(250);
    expect(await send(`/v1/tool-calls/${encodeURIComponent(long)}`)).toMatchObject({ body: { id: long } });
  });

  it('refuses parameters that the door does not know, and names them and those that it knows', async () => {
    const refused = await send('/v1/tool-calls/c1?limt=7&cursor=x&__proto__=1');
    expect(refused).toMatchObject({ status: 400, code: 'request.invalid' });
    const message = 'is no known parameter: this door takes limit, cursor';
    expect(refused.body).toMatchObject({
      error: { details: { problems: ['limt', '__proto__'].map((path) => ({ path, message })) } },
    });
    const long = await send(`/v1/tool-calls/c1?%E2%80%AE${'x'.repeat(200)}=1`);
    expect(long.body).toMatchObject({ error: { details: { problems: [{ path: `\\u{202e}${'x'.repeat(63)}` }] } } });
    expect((await send('/page?utm=1', { key: null })).status).toBe(200);
  });

  it('refuses a chunked body that grows too large, and keeps the connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports: unknown[] = [];
    const once = (chunks: number) =>
      new Promise<number>((resolve, reject) => {
        const headers = { authorization: `Bearer ${SECRETS.agent}` };
        const sent = httpRequest(`${server.url}/v1/sessions`, { method: 'POST', agent, headers }, (response) => {
          response.resume();
          response.on('end', () => resolve(response.statusCode ?? 0));
        });
        sent.on('socket', (socket) => ports.push(socket));
        sent.on('error', reject);
        for (let i = 0; i < chunks; i += 1) sent.write('[1,2,3,4]'.repeat(1_000));
        sent.end();
      });
    expect(await once(20)).toBe(413);
    expect(await once(1)).toBe(400);
    agent.destroy();
  });
});

describe('errors', () => {
  it.each([
    ['/v1/sessions/gone/cancel', 404, 'session.unknown'],
    ['/v1/sessions/bug/cancel', 500, 'internal.error'],
    ['/v1/sessions/away/cancel', 503, 'unavailable'],
    ['/v1/sessions/full/cancel', 503, 'overloaded'],
    ['/v1/nothing', 404, 'door.unknown'],
    ['/v1/tool-calls/c1', 405, 'door.method'],
  ])('%s: %i %s', async (path, status, code) => {
    const answer = await send(path, { method: 'POST' });
    expect(answer).toMatchObject({ status, code });
    expect(JSON.stringify(answer.body)).not.toContain('secret detail');
    expect(answer.headers.get('retry-after')).toBe(status === 503 ? '1' : null);
  });

  it('are told in another form where the app says so', async () => {
    const headers = { 'content-type': 'not a type' };
    expect(await send('/hooks/x', { text: '{}', headers })).toMatchObject({
      status: 200,
      body: { refused: 'request.malformed' },
    });
  });

  it('of HTTP itself close the connection with 400', async () => {
    const { port } = new URL(server.url);
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'));
      socket.once('data', (data) => resolve(data.toString()));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400/);
  });
});

describe('Idempotency-Key', () => {
  const cancel = (id: string, key: string, body: unknown = {}) =>
    send(`/v1/sessions/${id}/cancel`, { body, headers: { 'idempotency-key': key } });

  it('gives the same request the first answer, and another one 422', async () => {
    const first = await cancel('s1', 'k1', { reason: 'r' });
    const again = await cancel('s1', 'k1', { reason: 'r' });
    expect(again).toMatchObject({ status: first.status, body: first.body });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await cancel('s1', 'k1', { reason: 'other' })).toMatchObject({ status: 422, code: 'idempotency.reused' });
    expect(await cancel('s2', 'k1', { reason: 'r' })).toMatchObject({ status: 422 });
    expect((await cancel('s1', 'k2', { reason: 'r' })).body['ran']).toBe(Number(first.body['ran']) + 1);
  });

  it('keeps refusals and forgets failures of ours', async () => {
    const [first, again] = [await cancel('gone', 'k3'), await cancel('gone', 'k3')];
    expect([first.status, again.status]).toEqual([404, 404]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const before = state.ran;
    await cancel('away', 'k4');
    await cancel('away', 'k4');
    expect(state.ran).toBe(before + 2);
  });

  it('runs one of two at a time', async () => {
    const slow = cancel('slow', 'k5');
    while (state.release.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await cancel('slow', 'k5')).toMatchObject({ status: 409, code: 'idempotency.running' });
    state.release.splice(0).forEach((release) => release());
    expect((await slow).status).toBe(201);
  });

  it('refuses unfit keys', async () => {
    expect(await cancel('s1', 'k'.repeat(300))).toMatchObject({ status: 400, code: 'request.invalid' });
  });
});

describe('the log', () => {
  it('has ids and no secrets', async () => {
    await send('/v1/tool-calls?x=secret-query', { body: { args: { command: 'rm secret-args' } } });
    await new Promise((resolve) => setTimeout(resolve, 50));
    const line = lines.find((text) => text.includes('"msg":"request"')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({
      route: '/v1/tool-calls',
      status: 201,
      keyId: 'key_agent',
      callId: 'call_1',
    });
    expect(lines.join('')).not.toMatch(/secret-|cs_agent/);
  });

  it('redacts fields by name', () => {
    logger.info({ req: { headers: { authorization: 'secret-1', cookie: 'secret-2' } }, args: 'secret-3' }, 'x');
    logger.info({ call: { args: { a: 'secret-4' }, command: 'secret-5' }, deep: { er: { command: 'secret-6' } } }, 'x');
    expect(lines.join('')).not.toContain('secret-');
    expect(lines.join('')).toContain('[redacted]');
  });

  it('tells what went wrong inside, to us only', async () => {
    await send('/v1/sessions/bug/cancel', { method: 'POST' });
    expect(lines.join('')).toContain('a secret detail');
  });

  it.each([
    ['away', 'unavailable', 'x'],
    ['full', 'overloaded', 'x'],
  ])('has one warning and no stack for what is %s', async (id, refused, cause) => {
    await send(`/v1/sessions/${id}/cancel`, { method: 'POST' });
    await new Promise((resolve) => setTimeout(resolve, 50));
    const loud = lines.map((line) => JSON.parse(line) as { level: number }).filter(({ level }) => level > 30);
    expect(loud).toEqual([expect.objectContaining({ level: 40, status: 503, refused, cause, msg: 'request' })]);
    expect(lines.join('')).not.toContain('stack');
  });
});

describe('start and end', () => {
  it('refuses a route without a row', async () => {
    @Controller('/v1/secret-back-door')
    class BackDoor {
      @Delete(':id')
      open() {
        return 'in';
      }
    }
    @Module({ controllers: [BackDoor] })
    class BackDoorModule {}
    await expect(createServerApp(BackDoorModule, settings)).rejects.toThrow(
      'routes without a row in the door table: DELETE /v1/secret-back-door/:id',
    );
  });

  it('explains a taken port in one line', async () => {
    const port = Number(new URL(server.url).port);
    await expect(createServerApp(TestModule, { ...settings, port })).rejects.toThrow(
      `127.0.0.1:${port} is taken by another program: end it or choose another port`,
    );
  });

  it('reports readiness by what it needs', async () => {
    expect(await send('/readyz', { key: null })).toMatchObject({ status: 200, body: { needs: { good: 'ok' } } });
    const probes = { bad: async () => Promise.reject(new Error('x')), silent: () => new Promise(() => undefined) };
    const sick = await createServerApp(TestModule, { ...settings, probes });
    const response = await fetch(`${sick.url}/readyz`);
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ status: 'not ready', needs: { bad: 'no answer', silent: 'no answer' } });
    await sick.close();
  });

  it('ends running requests before it closes, and keeps no idle connection', async () => {
    const other = await createServerApp(TestModule, settings);
    const agent = new Agent({ keepAlive: true });
    const headers = { authorization: `Bearer ${SECRETS.agent}` };
    const post = (id: string) =>
      new Promise<number>((resolve, reject) => {
        const url = `${other.url}/v1/sessions/${id}/cancel`;
        const sent = httpRequest(url, { method: 'POST', agent, headers }, (response) => {
          response.resume();
          response.on('end', () => resolve(response.statusCode ?? 0));
        });
        sent.on('error', reject).end();
      });
    expect(await post('idle')).toBe(201);
    const slow = post('slow');
    while (state.release.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const closing = other.close();
    setTimeout(() => state.release.splice(0).forEach((release) => release()), 100);
    expect(await slow).toBe(201);
    const startedAt = performance.now();
    await closing;
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    await expect(fetch(other.url)).rejects.toThrow();
    agent.destroy();
  });
});
