import { describe, expect, it, jest } from '@jest/globals';
import { createHealth } from './health.js';
import { areMet, createProbeSet, NotReady } from './probes.js';

jest.setTimeout(60_000);

describe('probes', () => {
  it('say why only in our own words, and end', async () => {
    const set = createProbeSet({
      good: async () => 1,
      bad: () => Promise.reject(new Error('postgresql://user:s3cret@host')),
      worker: () => Promise.reject(new NotReady('no worker takes calls')),
      silent: () => new Promise(() => undefined),
      broken: () => {
        throw new Error('x');
      },
    });
    const needs = await set.ask();
    expect(needs).toEqual({
      good: 'ok',
      bad: 'no answer',
      worker: 'no worker takes calls',
      silent: 'no answer',
      broken: 'no answer',
    });
    expect(areMet(needs)).toBe(false);
    expect(areMet({ good: 'ok' })).toBe(true);
  });

  it('are asked once a second, however many look', async () => {
    let [asked, now] = [0, 0];
    const set = createProbeSet({ one: async () => (asked += 1) }, () => now);
    await Promise.all(Array.from({ length: 100 }, () => set.ask()));
    expect(asked).toBe(1);
    now = 1_001;
    await set.ask();
    expect(asked).toBe(2);
  });
});

describe('health', () => {
  it('is alive unless the event loop is stuck for long', () => {
    const health = (lag: number) => createHealth({ probes: {}, isClosing: () => false, lagMs: () => lag }).alive();
    expect(health(9_000)).toMatchObject({ status: 200, body: { status: 'ok', lagMs: 9_000 } });
    expect(health(10_001)).toMatchObject({ status: 503, body: { status: 'stuck' } });
  });

  it('is not ready once it is about to leave, whatever its needs say', async () => {
    let closing = false;
    const health = createHealth({ probes: { one: async () => 1 }, isClosing: () => closing, lagMs: () => 0 });
    expect(await health.ready()).toEqual({ status: 200, body: { status: 'ready', needs: { one: 'ok' } } });
    closing = true;
    expect(await health.ready()).toMatchObject({ status: 503, body: { status: 'closing' } });
  });
});
