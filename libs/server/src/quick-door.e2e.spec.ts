/** The quick door answers as the same door behind the framework: every request is sent to both. */
import { Agent, request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { Controller, HttpCode, Module, Post, Req } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DoorError, type InspectedJson } from '@countersign/contracts';
import { hashSecret } from '@countersign/ledger';
import type { FastifyRequest } from 'fastify';
import {
  authenticate,
  createLogger,
  createMetrics,
  createServerApp,
  CurrentPrincipal,
  InspectedBody,
  noteForLog,
  type Principal,
  type ServerApp,
  type ServerAppOptions,
} from './index.js';

const PATH = '/v1/tool-calls';
const LIMIT = 2_000;
const principal = (role: Principal['role']): Principal => ({
  ...{ keyId: `key_${role}`, tenantId: 't1', role, personId: null, personName: null, policy: 'default', mode: null },
  ...{ roots: [], home: null, sameHost: false },
});
const AGENT = 'cs_agent_0123456789';
const ADMIN = 'cs_admin_0123456789';
const AWAY = 'cs_away_0123456789';
const keys = new Map([
  [hashSecret(AGENT), principal('agent')],
  [hashSecret(ADMIN), principal('admin')],
]);

/** What both doors do; `do` in the body says how it ends. */
function answerOf({ value, problems }: InspectedJson, who: Principal): unknown {
  switch ((value as { do?: string } | null)?.do) {
    case 'refuse':
      throw new DoorError('auth.loosens', 'too wide', { at: 'roots' });
    case 'overload':
      throw Object.assign(new Error('no room in the queue'), { code: 'overloaded' });
    case 'break':
      throw new Error('a bug with a detail');
    default:
      return { who: who.keyId, value, problems: problems.map(({ problem }) => problem), odd: 'ü\u2028😀' };
  }
}

@Controller(PATH)
class CallsController {
  @Post()
  @HttpCode(200)
  call(@InspectedBody() body: InspectedJson, @CurrentPrincipal() who: Principal, @Req() request: FastifyRequest) {
    const answer = answerOf(body, who);
    noteForLog(request, { callId: 'call_1' });
    return answer;
  }
}

@Module({ controllers: [CallsController] })
class TestModule {}

interface Server {
  readonly app: ServerApp;
  readonly lines: string[];
  readonly metrics: ReturnType<typeof createMetrics>;
}

async function start(more: Partial<ServerAppOptions>): Promise<Server> {
  const lines: string[] = [];
  const logger = createLogger({ name: 'test', level: 'debug', stream: { write: (line) => void lines.push(line) } });
  const metrics = createMetrics();
  const find = async (hash: string): Promise<Principal | null> => {
    if (hash === hashSecret(AWAY)) throw new Error('the database is away');
    return keys.get(hash) ?? null;
  };
  const app = await createServerApp(TestModule, {
    ...{ app: 'gateway', host: '127.0.0.1', port: 0, bodyLimit: LIMIT, logger },
    authenticator: authenticate({ keys: { find } }),
    metrics: { metrics, token: null },
    lenientRoutes: [PATH],
    selfKeyedRoutes: [PATH],
    ...more,
  });
  return { app, lines, metrics };
}

let plain: Server;
let quick: Server;
let answered = 0;
const agent = new Agent({ keepAlive: true });

beforeAll(async () => {
  plain = await start({});
  quick = await start({
    quickDoor: {
      path: PATH,
      answer: async ({ body, principal: who, note }) => {
        answered += 1;
        const answer = answerOf(body, who);
        note({ callId: 'call_1' });
        return answer;
      },
    },
  });
}, 30_000);
afterAll(async () => {
  agent.destroy();
  await Promise.all([plain?.app.close(), quick?.app.close()]);
});

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
}

const bearer = (key: string): OutgoingHttpHeaders => ({ authorization: `Bearer ${key}` });

function ask({ app }: Server, { method = 'POST', path = PATH, headers = bearer(AGENT), body = '{}' }: Sent) {
  const { hostname, port } = new URL(app.url);
  return new Promise<{ status: number | undefined; headers: object; text: string }>((resolve, reject) => {
    const sent = httpRequest({ hostname, port, path, method, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        const { date: _date, ...kept } = response.headers;
        resolve({ status: response.statusCode, headers: kept, text });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function eventually(look: () => boolean): Promise<void> {
  const end = performance.now() + 4_000;
  while (!look()) {
    if (performance.now() > end) throw new Error('it never came');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const json = JSON.stringify;
const REQUESTS: readonly (readonly [string, Sent])[] = [
  ['a good call', { body: json({ args: { a: 'ü' } }) }],
  ['a body with flaws', { body: '{"a":1,"a":12345678901234567890}' }],
  ['a body that is no object', { body: '[1,2]' }],
  ['a body of another type', { headers: { ...bearer(AGENT), 'content-type': 'text/plain' } }],
  ['a body after a byte order mark', { body: '\ufeff{"a":1}' }],
  ['no body', { body: '' }],
  ['blanks', { body: '  \n' }],
  ['no JSON', { body: '{"a":' }],
  ['no UTF-8', { body: Buffer.from([0x22, 0xff, 0x22]) }],
  ['a body that is too large', { body: json('x'.repeat(LIMIT)) }],
  ['no key', { headers: {} }],
  ['no bearer', { headers: { authorization: 'Basic abc' } }],
  ['an unknown key', { headers: bearer('cs_nobody_0123456789') }],
  ['a key of another role', { headers: bearer(ADMIN) }],
  ['a key while the database is away', { headers: bearer(AWAY) }],
  ['another host', { headers: { ...bearer(AGENT), host: 'evil.example' } }],
  ['a page of another site', { headers: { ...bearer(AGENT), origin: 'https://evil.example' } }],
  ['an idempotency key', { headers: { ...bearer(AGENT), 'idempotency-key': 'x' } }],
  ['a refusal', { body: json({ do: 'refuse' }) }],
  ['an overload', { body: json({ do: 'overload' }) }],
  ['a bug', { body: json({ do: 'break' }) }],
  ['a query', { path: `${PATH}?a=1` }],
  ['a doubled slash', { path: '/v1//tool-calls' }],
  ['another method', { method: 'GET', body: '' }],
  ['another path', { path: '/v1/tool-callsx' }],
];

describe('the quick door', () => {
  it.each(REQUESTS)('answers %s as the framework does', async (_what, sent) => {
    const [one, other] = [await ask(plain, sent), await ask(quick, sent)];
    expect(other).toEqual(one);
  });

  it('answers by itself', async () => {
    const before = answered;
    await ask(quick, {});
    expect(answered).toBe(before + 1);
  });

  it('logs and measures as the framework does', async () => {
    const told = async ({ lines, metrics }: Server) => {
      const requests = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      const { body } = await metrics.text();
      return {
        lines: requests.map(({ reqId: _id, ms: _ms, time: _time, err: _err, ...line }) => line),
        doors: body.split('\n').filter((line) => /^countersign_(door_seconds_count|errors_total)/.test(line)),
      };
    };
    for (const server of [plain, quick]) server.lines.length = 0;
    for (const body of ['{}', json({ do: 'refuse' }), json({ do: 'overload' }), json({ do: 'break' })]) {
      await ask(plain, { body });
      await ask(quick, { body });
    }
    const [one, other] = [await told(plain), await told(quick)];
    expect(other.lines).toEqual(one.lines);
    expect(other.lines.length).toBeGreaterThanOrEqual(5);
    // The quick server answered one request more, in the test before.
    expect(other.doors.map((line) => line.replace(/ \d+$/, ''))).toEqual(
      one.doors.map((line) => line.replace(/ \d+$/, '')),
    );
  });

  it.each([
    ['the quick door', () => quick],
    ['the framework', () => plain],
  ])('%s blames no service for clients that leave in the middle of a body', async (_door, serverOf) => {
    const { app, lines, metrics } = serverOf();
    const { hostname, port } = new URL(app.url);
    // An end that is no reset may come from a client that still reads: it is told that its request is malformed.
    const countsOf = async (): Promise<string[]> =>
      (await metrics.text()).body
        .split('\n')
        .filter((line) => /^countersign_(door_seconds_count|errors_total)/.test(line) && !line.includes('malformed'));
    const requests = () => lines.map((line) => JSON.parse(line) as object).filter((line) => 'route' in line);
    const before = await countsOf();
    lines.length = 0;
    for (const leave of ['destroy', 'resetAndDestroy'] as const) {
      const socket = connect(Number(port), hostname);
      socket.write(
        `POST ${PATH} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${AGENT}\r\ncontent-length: 90\r\n\r\n{`,
      );
      await new Promise((resolve) => setTimeout(resolve, 50));
      socket[leave]();
    }
    await eventually(() => requests().length === 2);
    expect(await countsOf()).toEqual(before);
    for (const line of requests()) {
      expect(line).toMatchObject({ level: 20, route: PATH, cause: 'the client left before its body had arrived' });
      expect(line).not.toHaveProperty('status');
    }
    expect(await ask(serverOf(), {})).toMatchObject({ status: 200 });
  });

  it('tells no status where the client left before its answer', async () => {
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    let asked = false;
    const answer = async () => {
      asked = true;
      await held;
      return {};
    };
    const server = await start({ quickDoor: { path: PATH, answer } });
    const { hostname, port } = new URL(server.app.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST ${PATH} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${AGENT}\r\ncontent-length: 2\r\n\r\n{}`,
    );
    await eventually(() => asked);
    server.lines.length = 0;
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 50));
    letGo();
    await eventually(() => server.lines.length === 1);
    expect(server.lines[0]).not.toMatch(/"status"|"level":[345]0/);
    await server.app.close();
  });

  it('leaves the last requests of a closing server to the framework, which ends their connections', async () => {
    const server = await start({
      leaveMs: 300,
      quickDoor: { path: PATH, answer: async () => ({ quick: true }) },
    });
    expect((await ask(server, {})).text).toBe('{"quick":true}');
    const closed = server.app.close();
    const last = await ask(server, {});
    expect(last.status).toBe(200);
    expect(last.headers).toMatchObject({ connection: 'close' });
    await closed;
  });
});
