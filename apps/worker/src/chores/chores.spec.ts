import { describe, expect, it } from '@jest/globals';
import type { ChoresDone } from '@countersign/ledger';
import { choresLine, createChores } from './chores.js';

const NOTHING: ChoresDone = {
  made: [],
  dropped: [],
  forgotten: { calls: 0, asks: 0, originals: 0, deliveries: 0, idempotency: 0 },
};

describe('chores', () => {
  it('are done at the first look and then once an hour', async () => {
    let at = 5;
    let runs = 0;
    const look = createChores({ run: async () => ((runs += 1), NOTHING), now: () => at, onDone: () => undefined });
    for (at of [5, 60_005, 3_599_000, 3_600_005, 3_660_000]) await look();
    expect(runs).toBe(2);
  });

  it('tell of what they did, and only then', async () => {
    const told: string[] = [];
    const results = [
      null,
      NOTHING,
      { ...NOTHING, made: ['events_2027_12'], forgotten: { ...NOTHING.forgotten, calls: 7 } },
    ];
    for (const result of results) {
      await createChores({ run: async () => result, now: () => 0, onDone: (done) => told.push(choresLine(done)) })();
    }
    expect(told).toEqual(['kept house: made events_2027_12; forgot 7 calls']);
  });

  it('that fail are tried again later, not at every look', async () => {
    let runs = 0;
    const run = async (): Promise<ChoresDone> => {
      runs += 1;
      throw new Error('no database');
    };
    const look = createChores({ run, now: () => 1, onDone: () => undefined });
    await expect(look()).rejects.toThrow('no database');
    await look();
    expect(runs).toBe(1);
  });
});
