/** The sweep over due asks: in parts of whole sessions, until nothing is left that it can end; and one run for many callers. */
import { describe, expect, it } from '@jest/globals';
import type { DueAsk } from '@countersign/ledger';
import { singleFlight, sweepDueAsks, type DueSweepDeps } from './due-sweep.js';

const outcome = { decision: 'deny', approvalStatus: 'expired' };

/** A ledger of asks that are all due; those of `moving` sessions are left by whoever ends many at once. */
function houseOf(asks: readonly DueAsk[], moving: readonly string[] = []) {
  const open = new Map(asks.map((ask) => [ask.askId, ask]));
  const parts: number[] = [];
  const told: string[] = [];
  const ledger = {
    asks: { due: async (limit: number) => [...open.values()].slice(0, limit) },
    expire: async (part: readonly DueAsk[]) => {
      parts.push(part.length);
      const still = part.filter(({ sessionId }) => moving.includes(sessionId));
      const ends = part.filter((ask) => !still.includes(ask));
      for (const { askId } of ends) open.delete(askId);
      return { left: still, ended: ends.map(({ askId, ...at }) => ({ ...at, outcomes: [{ askId, outcome }] })) };
    },
    execute: async (_target: unknown, { askId }: { askId: string }) => {
      open.delete(askId);
      return { ok: true, outcomes: [{ askId, outcome }] };
    },
  };
  const bus = { decided: async ({ askId }: { askId: string }) => void told.push(askId) };
  const deps = { ledger, bus, random: () => 0.5 } as unknown as DueSweepDeps;
  return { deps, parts, told, open };
}

const asksOf = (sessions: number, each: number): DueAsk[] =>
  Array.from({ length: sessions * each }, (_none, nth) => ({
    ...{ tenantId: 't', sessionId: `s${Math.floor(nth / each)}` },
    askId: `ask_${nth}`,
  }));

describe('the sweep', () => {
  it('ends thousands in statements of bounded size, and tells of each once', async () => {
    const { deps, parts, told, open } = houseOf(asksOf(100, 50));
    expect(await sweepDueAsks(deps)).toBe(5_000);
    expect(open.size).toBe(0);
    expect(new Set(told).size).toBe(5_000);
    expect(Math.max(...parts)).toBeLessThanOrEqual(128);
  });

  it('ends those of sessions that keep moving one by one', async () => {
    const { deps, told } = houseOf(asksOf(3, 2), ['s0', 's1', 's2']);
    expect(await sweepDueAsks(deps)).toBe(6);
    expect(told).toHaveLength(6);
  });
});

it('one run serves everybody who called before it began', async () => {
  let runs = 0;
  const ends: (() => void)[] = [];
  const flight = singleFlight(() => {
    runs += 1;
    return new Promise<number>((resolve) => ends.push(() => resolve(runs)));
  });
  const first = flight();
  await new Promise(setImmediate);
  const [second, third] = [flight(), flight()];
  expect(runs).toBe(1);
  ends[0]?.();
  expect(await first).toBe(1);
  await new Promise(setImmediate);
  ends[1]?.();
  expect(await Promise.all([second, third])).toEqual([2, 2]);
});
