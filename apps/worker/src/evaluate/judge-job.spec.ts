/** What becomes of a job whose round fails: outages are waited out, faults are pinned to their call. */
import { describe, expect, it } from '@jest/globals';
import type { ToolCall } from '@countersign/contracts';
import { JobReturned, type JobRun } from '@countersign/queue';
import type { RoundItem } from '../rounds/round-item.js';
import { judgeJob, type JudgeJobDeps } from './judge-job.js';
import { createLeaving } from './leaving.js';
import { createTurns } from './turns.js';

const OUTAGE = Object.assign(new Error('the database is away'), { code: 'ECONNREFUSED' });
const item = (id: string): RoundItem => ({ call: { id } as ToolCall, replyTo: 'g' });
const items = ['a', 'bad', 'c'].map(item);
const LEFT_ONCE = { returned: 1, suspicion: { stage: 'none' } };
const AGAIN = { returned: 0, suspicion: { stage: 'again' } };
const idsOf = (some: readonly RoundItem[]): string => some.map(({ call }) => call.id).join(' ');

interface Bench extends JudgeJobDeps {
  /** What was asked of the judge, in order. */
  readonly asked: string[];
  readonly noted: object[];
  readonly run: JobRun;
}

/** `fail` gives the error of one request, or nothing. */
function bench(fail: (asked: string, count: number) => Error | undefined, run: Partial<JobRun> = {}): Bench {
  const asked: string[] = [];
  const noted: object[] = [];
  const judge = (how: string) => async (some: readonly RoundItem[]) => {
    const guilty = some.some((one) => one.guilty) ? 'guilty ' : '';
    asked.push(`${how} ${guilty}${idsOf(some)}`);
    const error = fail(asked.at(-1) ?? '', asked.length);
    if (error) throw error;
  };
  return {
    asked,
    noted,
    judge: { judge: judge('shared'), judgeAlone: judge('alone'), idle: async () => undefined },
    turns: createTurns(),
    isOutage: (error) => error === OUTAGE,
    onGuilty: () => undefined,
    leaving: createLeaving(new AbortController().signal),
    run: {
      starts: 1,
      ageMs: 0,
      noted: null,
      note: async (text) => void noted.push(text),
      signal: new AbortController().signal,
      ...run,
    },
  };
}

describe('judgeJob', () => {
  it('asks once when nothing is wrong', async () => {
    const all = bench(() => undefined);
    await judgeJob(items, all.run, all);
    expect(all.asked).toEqual(['shared a bad c']);
    expect(all.noted).toEqual([]);
  });

  it('waits an outage out, and denies nobody for it', async () => {
    const all = bench((_asked, count) => (count < 4 ? OUTAGE : undefined));
    await judgeJob(items, all.run, all);
    expect(all.asked).toEqual(Array.from({ length: 4 }, () => 'shared a bad c'));
  });

  it('finds the call that broke its round, and denies only that one', async () => {
    const all = bench((asked) => (asked.includes('bad') && !asked.includes('guilty') ? new Error('a bug') : undefined));
    await judgeJob(items, all.run, all);
    expect(all.asked).toEqual(['shared a bad c', 'alone a', 'alone bad', 'alone guilty bad', 'alone c']);
  });

  it('C02 denies the call that ended two workers when it was alone in its job', async () => {
    const only = items.slice(1, 2);
    const all = bench(() => undefined, { starts: 3, noted: AGAIN });
    await judgeJob(only, all.run, all);
    expect(all.asked).toEqual(['alone guilty bad']);
  });

  it('C02 finds the one that ends its workers among others, and denies it', async () => {
    const second = bench(() => undefined, { starts: 2 });
    await judgeJob(items, second.run, second);
    expect([second.asked, second.noted]).toEqual([['shared a bad c'], [AGAIN]]);
    const third = bench(() => undefined, { starts: 3, noted: second.noted[0] });
    await judgeJob(items, third.run, third);
    expect(third.asked).toEqual(['alone a', 'alone bad', 'alone c']);
    const calling = (id: string) => ({ returned: 0, suspicion: { stage: 'single', calling: id, guilty: [] } });
    expect(third.noted).toEqual(['a', 'bad', 'c'].map(calling));
    const fourth = bench(() => undefined, { starts: 4, noted: third.noted[1] });
    await judgeJob(items, fourth.run, fourth);
    expect(fourth.asked).toEqual(['alone guilty bad', 'alone a', 'alone c']);
  });

  it('gives the job back when the worker leaves', async () => {
    const leaving = new AbortController();
    const all = { ...bench(() => OUTAGE), leaving: createLeaving(leaving.signal) };
    const judged = judgeJob(items, all.run, all);
    setTimeout(() => leaving.abort(), 20);
    await expect(judged).rejects.toThrow(JobReturned);
    expect(all.asked.every((asked) => asked.startsWith('shared'))).toBe(true);
    // At once, and again with the job: the same, so that it counts once.
    expect(all.noted).toEqual([LEFT_ONCE, LEFT_ONCE]);
  });

  it('C02 denies no call for the workers that gave it back while they left', async () => {
    const only = items.slice(0, 1);
    let noted: object | null = null;
    for (let starts = 1; starts < 20; starts += 1) {
      const left = bench(() => undefined, { starts, noted });
      await expect(judgeJob(only, left.run, { ...left, leaving: createLeaving(AbortSignal.abort()) })).rejects.toThrow(
        JobReturned,
      );
      noted = left.noted.at(-1) ?? noted;
    }
    const last = bench(() => undefined, { starts: 20, noted });
    await judgeJob(only, last.run, last);
    expect(last.asked).toEqual(['shared a']);
  });

  it('says at once that it leaves: the round that it is in may be cut off', async () => {
    const leaving = new AbortController();
    const all = { ...bench(() => undefined), leaving: createLeaving(leaving.signal) };
    const judge = { ...all.judge, judge: () => new Promise<void>(() => undefined) };
    void judgeJob(items, all.run, { ...all, judge });
    leaving.abort();
    expect(all.noted).toEqual([LEFT_ONCE]);
  });

  it('leaves the note of a job alone that is somebody else’s by now', async () => {
    const all = bench(() => undefined, { signal: AbortSignal.abort() });
    const judged = judgeJob(items, all.run, { ...all, leaving: createLeaving(AbortSignal.abort()) });
    await expect(judged).rejects.toThrow(JobReturned);
    expect(all.noted).toEqual([]);
  });

  it('judges suspected jobs one at a time', async () => {
    let running = 0;
    let most = 0;
    const all = bench(() => undefined, { starts: 3, noted: AGAIN });
    const judgeAlone = async (): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    };
    const deps = { ...all, judge: { ...all.judge, judgeAlone } };
    await Promise.all([judgeJob(items, all.run, deps), judgeJob(items, all.run, deps)]);
    expect(most).toBe(1);
  });
});
