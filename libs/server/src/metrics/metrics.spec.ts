/** Metrics: closed label sets, readers that add up, and who may read them. */
import { describe, expect, it } from '@jest/globals';
import { METRICS } from '@countersign/contracts';
import { metricsAccess } from './metrics-access.js';
import { createMetrics } from './metrics.js';

const linesOf = (body: string, name: string): string[] =>
  body.split('\n').filter((line) => line.startsWith(name) && !line.startsWith('#'));

describe('metrics', () => {
  it('keep labels to their lists, whatever an agent sends', async () => {
    const { meter, text } = createMetrics();
    meter.count('countersign_calls_total', { decision: 'deny', layer: 'mode' });
    for (let index = 0; index < 100; index += 1) {
      meter.count('countersign_calls_total', { decision: `x${index}`, layer: `secret-${index}`, more: 'y' });
    }
    const lines = linesOf((await text()).body, 'countersign_calls_total');
    expect(lines.sort()).toEqual([
      'countersign_calls_total{decision="deny",layer="mode"} 1',
      'countersign_calls_total{decision="other",layer="other"} 100',
    ]);
  });

  it('let a server name its own doors', async () => {
    const { meter, text, allow } = createMetrics();
    allow('countersign_door_seconds', 'door', ['/v1/asks']);
    for (const door of ['/v1/asks', '/v1/asks/secret']) {
      meter.observe('countersign_door_seconds', 0.2, { app: 'approver', door, status: '2xx' });
    }
    const lines = linesOf((await text()).body, 'countersign_door_seconds_count');
    expect(lines.map((line) => /door="([^"]+)"/.exec(line)?.[1]).sort()).toEqual(['/v1/asks', 'other']);
  });

  it('add up what several readers say, and say nothing when one of them cannot', async () => {
    const { meter, text } = createMetrics();
    meter.read('countersign_waiters', () => 2);
    const end = meter.read('countersign_waiters', async () => 3);
    meter.read('countersign_open_asks', () => Promise.reject(new Error('away')));
    meter.read('countersign_kill_switches', () => new Promise<number>(() => undefined));
    const { body } = await text();
    expect(linesOf(body, 'countersign_waiters')).toEqual(['countersign_waiters 5']);
    expect(linesOf(body, 'countersign_open_asks')).toEqual([]);
    expect(linesOf(body, 'countersign_kill_switches')).toEqual([]);
    end();
    expect(linesOf((await text()).body, 'countersign_waiters')).toEqual(['countersign_waiters 2']);
  });

  it('know every row of the table, and share nothing with another registry', async () => {
    const [one, other] = [createMetrics(), createMetrics()];
    one.meter.count('countersign_resends_total');
    const { body } = await one.text();
    for (const name of Object.keys(METRICS)) expect(body).toContain(`# HELP ${name} `);
    expect(body).toContain('process_resident_memory_bytes');
    expect(linesOf((await other.text()).body, 'countersign_resends_total')).toEqual(['countersign_resends_total 0']);
  });
});

describe('who may read them', () => {
  const near = { remoteAddress: '127.0.0.1', headers: { host: '127.0.0.1:4610' } };
  const token = 'a-token-of-some-length';

  it('is whoever is on this host', () => {
    expect(metricsAccess(near, null)).toBe('open');
    expect(metricsAccess({ remoteAddress: '::1', headers: { host: '[::1]:4610' } }, null)).toBe('open');
    expect(metricsAccess({ remoteAddress: '::ffff:127.0.0.1', headers: { host: 'localhost' } }, null)).toBe('open');
  });

  it.each([
    [{ ...near, remoteAddress: '10.0.0.7' }],
    [{ ...near, headers: { host: 'evil.example' } }],
    [{ ...near, headers: { ...near.headers, 'x-forwarded-for': '10.0.0.7' } }],
    [{ ...near, headers: {} }],
    [{ ...near, remoteAddress: undefined }],
  ])('is not %j', (reader) => {
    expect(metricsAccess(reader, null)).toBe('closed');
  });

  it('is whoever has the token, and nobody else, where one is set', () => {
    expect(metricsAccess(near, token)).toBe('closed');
    const far = { remoteAddress: '10.0.0.7', headers: { host: 'gateway:4610', authorization: `Bearer ${token}` } };
    expect(metricsAccess(far, token)).toBe('token');
    expect(metricsAccess({ ...far, headers: { authorization: `Bearer ${token}x` } }, token)).toBe('closed');
  });
});
