/** The small door of a worker: health, readiness, metrics, and nothing else. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CannotListen } from '../listen.js';
import { createMetrics } from '../metrics/metrics.js';
import { startSideServer, type SideServer } from './side-server.js';

let side: SideServer;
const service = { answers: true };
const probes = {
  database: async () => {
    if (!service.answers) throw new Error('away');
  },
};

beforeAll(async () => {
  side = await startSideServer({
    host: '127.0.0.1',
    port: 0,
    probes,
    metrics: { metrics: createMetrics(), token: null },
  });
});
afterAll(() => side.close());

it('answers what watches it', async () => {
  const get = async (path: string, init?: RequestInit) => fetch(side.url + path, init);
  expect(await (await get('/healthz')).json()).toMatchObject({ status: 'ok' });
  expect(await (await get('/readyz')).json()).toEqual({ status: 'ready', needs: { database: 'ok' } });
  const metrics = await get('/metrics');
  expect(metrics.headers.get('content-type')).toContain('text/plain');
  expect(await metrics.text()).toContain('countersign_round_seconds');
  expect((await get('/v1/asks')).status).toBe(404);
  expect((await get('/healthz', { method: 'POST' })).status).toBe(405);
  expect((await get('/metrics', { headers: { 'x-forwarded-for': '10.0.0.1' } })).status).toBe(401);
});

it('is red when it is about to leave', async () => {
  side.leave();
  const answer = await fetch(`${side.url}/readyz`);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ status: 'closing' });
});

it('says in one line that its port is taken', async () => {
  const port = Number(new URL(side.url).port);
  await expect(startSideServer({ host: '127.0.0.1', port, probes: {}, metrics: null })).rejects.toThrow(CannotListen);
});
