/** One call, seen from outside: its trace through gateway, queue, worker and database, the metrics, readiness, and who may look at the queues. */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startCollector, type CollectedSpan, type Collector } from '../../libs/server/src/testing/otlp-collector.js';
import { send } from './doors.js';
import { OwnHouse } from './own-house.js';

jest.setTimeout(60_000);
const SECRET = 's3cret-argument';

let collector: Collector;
let house: OwnHouse;
beforeAll(async () => {
  collector = await startCollector();
  house = await OwnHouse.open({ allow: ['Bash(echo *)'] }, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
}, 180_000);
afterAll(async () => {
  await house?.close();
  await collector?.close();
}, 60_000);

function callBody(toolUseId: string) {
  return { sessionId: 'seen', toolUseId, tool: 'Bash', args: { command: `echo ${SECRET}` }, cwd: '/tmp', wait: 0 };
}

/** Asks again and again, twenty seconds at the most. */
async function until<T>(look: () => T | undefined): Promise<T> {
  const giveUp = Date.now() + 20_000;
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    if (Date.now() > giveUp) throw new Error('it did not come to be');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('a call', () => {
  it('leaves one trace from its door to the database and nothing of what it says', async () => {
    const { gateway, agentKey: key } = house.endpoints;
    const answer = await send(`${gateway}/v1/tool-calls`, { key, body: callBody('t1') });
    expect(answer.body.decision).toBe('allow');
    const door = await until(() => collector.spans.find(({ name }) => name === 'POST /v1/tool-calls'));
    const named = (name: string): CollectedSpan | undefined =>
      collector.spans.find((span) => span.name === name && span.traceId === door.traceId);
    const enqueue = await until(() => named('enqueue'));
    const round = await until(() => named('round'));
    const evaluate = await until(() => named('evaluate'));
    const append = await until(() => named('append'));
    expect(enqueue.parentSpanId).toBe(door.spanId);
    expect(round.parentSpanId).toBe(enqueue.spanId);
    expect(evaluate).toMatchObject({ parentSpanId: enqueue.spanId, links: [round.spanId] });
    expect(evaluate.attributes).toEqual({ callId: answer.body.id, sessionId: 'seen' });
    expect(append.parentSpanId).toBe(round.spanId);
    expect(door).toMatchObject({ service: 'countersign-up', parentSpanId: '' });
    expect(collector.text()).not.toContain(SECRET);
  });

  it('is counted in the one registry that both doors show', async () => {
    const { gateway, console: approver } = house.endpoints;
    for (const base of [gateway, approver]) {
      const text = await (await fetch(`${base}/metrics`)).text();
      expect(text).toMatch(/countersign_calls_total\{decision="allow",layer="\w+"\} 1/);
      expect(text).toMatch(/countersign_round_seconds_count 1/);
      expect(text).toMatch(/countersign_append_seconds_count 1/);
      expect(text).toMatch(/countersign_verdict_seconds_count 1/);
      expect(text).toMatch(/countersign_queue_wait_seconds_count\{queue="evaluate"\} 1/);
      expect(text).toContain('countersign_workers 1');
      expect(text).toContain('countersign_open_asks 0');
      for (const service of ['database', 'queue', 'bus']) {
        expect(text).toContain(`countersign_service_up{service="${service}"} 1`);
      }
      expect(text).not.toContain(SECRET);
    }
  });
});

it('readiness names what it asked for', async () => {
  const { gateway, console: approver } = house.endpoints;
  const read = async (url: string) => (await fetch(`${url}/readyz`)).json();
  const needs = { database: 'ok', queue: 'ok', bus: 'ok', worker: 'ok' };
  expect(await read(gateway)).toEqual({ status: 'ready', needs });
  expect(await read(approver)).toMatchObject({ status: 'ready' });
});

it('the queues are shown to admins, and to nobody else', async () => {
  const { console: approver, adminKey, approverKey } = house.endpoints;
  const look = async (key: string, path = '') =>
    fetch(`${approver}/admin/queues${path}`, { headers: { authorization: `Bearer ${key}` } });
  expect((await look(approverKey)).status).toBe(403);
  const page = await look(adminKey);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
  const queues = (await (await look(adminKey, '/api/queues')).json()) as { queues: { name: string }[] };
  expect(queues.queues.map(({ name }) => name)).toEqual(['evaluate', 'asks']);
  const script = /src="(static\/[^"]+)"/.exec(await (await look(adminKey, '/')).text())?.[1];
  expect((await look(adminKey, `/${script}`)).status).toBe(200);
  const pause = { method: 'PUT', headers: { authorization: `Bearer ${adminKey}` } };
  expect((await fetch(`${approver}/admin/queues/api/queues/evaluate/pause`, pause)).status).toBe(404);
});
