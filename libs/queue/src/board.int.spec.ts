/** The board over a real queue: it shows counts and ids, and has no page that changes a job. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRedis, type RedisFixture } from '@countersign/testing';
import { createQueue, type Board, type Queue } from './index.js';

const SEALED = 'c2VhbGVkLXMzY3JldA==';
let redis: RedisFixture;
let queue: Queue;
let board: Board;

beforeAll(async () => {
  redis = await startRedis();
  queue = await createQueue({ kind: 'redis', url: redis.url, prefix: `{board-${process.pid}}` });
  await queue.enqueue({ replyTo: 'g', calls: SEALED, count: 3 });
  await queue.asks.add({ kind: 'notify', tenantId: 't1', askId: 'ask_1' }, { id: 'ask_1-notify' });
  board = await queue.board('/admin/queues');
}, 30_000);
afterAll(async () => {
  await queue.close();
  await redis.stop();
});

async function data(path: string, query: Record<string, unknown> = {}): Promise<string> {
  const answer = await board.get(path, query);
  expect(answer).toMatchObject({ status: 200, type: expect.stringContaining('json') });
  return String(answer?.body);
}

describe('the board', () => {
  it('shows what waits, and neither calls nor their seal', async () => {
    const told = await data('/api/queues', {
      activeQueue: 'evaluate',
      status: 'waiting',
      page: '1',
      jobsPerPage: '1e9',
    });
    const { queues } = JSON.parse(told) as {
      queues: { name: string; counts: { waiting: number }; readOnlyMode: boolean }[];
    };
    expect(queues.map(({ name, counts, readOnlyMode }) => [name, counts.waiting, readOnlyMode])).toEqual([
      ['evaluate', 1, true],
      ['asks', 1, true],
    ]);
    expect(told).toContain('[sealed]');
    expect(told).not.toContain(SEALED);
    expect(await data('/api/queues/asks/ask_1-notify')).toContain('ask_1');
  });

  it('serves its page and its files, and tells no other host who looks', async () => {
    const page = await board.get('/', {});
    expect(page?.type).toContain('text/html');
    const html = String(page?.body);
    expect(html).toContain('<base href="/admin/queues/"');
    expect(html).not.toMatch(/(href|src)="https?:/);
    expect(html).not.toContain('<%');
    const scripts = [...html.matchAll(/src="(static\/[^"]+)"/g)].map((match) => match[1]);
    expect(scripts.length).toBeGreaterThan(1);
    for (const script of scripts) expect((await board.get(`/${script}`, {}))?.type).toContain('javascript');
    expect(await board.get('/queue/evaluate', {})).toMatchObject({ status: 200 });
  });

  it.each([
    '/api/queues/evaluate/pause',
    '/api/queues/evaluate/obliterate',
    '/static/../package.json',
    '/static/js/..%2f..%2fpackage.json',
    '/static/%2e%2e/index.ejs',
    '/elsewhere/far/away/from/it',
  ])('knows no page %s', async (path) => {
    const answer = await board.get(path, {});
    expect(answer === null || answer.status === 404).toBe(true);
  });
});
