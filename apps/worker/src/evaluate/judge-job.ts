/** Judges the calls of one job: again while the database is away, apart from others when something is wrong with one of them. */
import { setTimeout as pause } from 'node:timers/promises';
import { JobReturned, type JobRun } from '@countersign/queue';
import type { Judge } from '../rounds/judge.js';
import type { RoundItem } from '../rounds/round-item.js';
import type { Leaving } from './leaving.js';
import { readTrialNote, returnedNote, trialOf, type Suspicion, type Trial, type TrialNote } from './trial.js';
import type { Turns } from './turns.js';

export interface JudgeJobDeps {
  readonly judge: Judge;
  /** Of this worker: jobs that ended a worker are judged one at a time. */
  readonly turns: Turns;
  /** True for a failure that says nothing against the calls: the database is away or too busy. */
  readonly isOutage: (error: unknown) => boolean;
  /** Calls that ended their workers, or could not be judged: they are recorded as denied. */
  readonly onGuilty: (callIds: readonly string[], reason: string) => void;
  /** Fires when this worker is about to go. */
  readonly leaving: Leaving;
}

/** The database may be away this long before a job counts as failed; whoever waits was answered long before. */
const PATIENCE_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** A job on its way through this worker. */
interface Case {
  readonly items: readonly RoundItem[];
  readonly run: JobRun;
  readonly deps: JudgeJobDeps;
  /** As it was when this worker began with the job. */
  readonly note: TrialNote;
}

/** Resolves when all calls are stored. Throws JobReturned when the worker leaves before, and what made storing impossible. */
export async function judgeJob(items: readonly RoundItem[], run: JobRun, deps: JudgeJobDeps): Promise<void> {
  const note = readTrialNote(run.noted);
  const trial = trialOf({ starts: run.starts, note, callIds: items.map(({ call }) => call.id) });
  // A job whose lock is lost is somebody else's, and so is the note beside it.
  const returned = (): Promise<void> =>
    run.signal.aborted ? Promise.resolve() : write(run, returnedNote(note, trial));
  // At once too: a round that hangs when the worker's time is up is cut off.
  const goOn = deps.leaving.onLeave(() => void returned());
  try {
    await judgeAs(trial, { items, run, deps, note });
  } catch (error) {
    if (error instanceof JobReturned) await returned();
    throw error;
  } finally {
    goOn();
  }
}

async function judgeAs(trial: Trial, one: Case): Promise<void> {
  const { items, run, deps } = one;
  switch (trial.kind) {
    case 'shared':
      return judgeShared(items, run, deps);
    case 'again':
      await suspect(one, { stage: 'again' });
      return judgeShared(items, run, deps);
    case 'single':
      return deps.turns(() => judgeSingly(one, trial.guilty));
    case 'refused':
      return deps.turns(() => refuse(items, 'it was begun too often', run, deps));
    default:
      throw new Error(`unknown trial ${String(trial satisfies never)}`);
  }
}

/** A round that fails may do so because of anybody's call; one by one only the guilty one fails again. */
async function judgeShared(items: readonly RoundItem[], run: JobRun, deps: JudgeJobDeps): Promise<void> {
  try {
    await throughOutages(() => deps.judge.judge(items), run, deps);
  } catch (error) {
    if (mustGoOn(error, deps)) throw error;
    await eachAlone(items, run, deps);
  }
}

async function judgeSingly(one: Case, guilty: readonly string[]): Promise<void> {
  const { items, run, deps } = one;
  const bad = items.filter(({ call }) => guilty.includes(call.id));
  if (bad.length > 0) await refuse(bad, 'it ended the worker that judged it', run, deps);
  const good = items.filter(({ call }) => !guilty.includes(call.id));
  await eachAlone(good, run, deps, (calling) => suspect(one, { stage: 'single', calling, guilty: [...guilty] }));
}

async function eachAlone(
  items: readonly RoundItem[],
  run: JobRun,
  deps: JudgeJobDeps,
  before: (callId: string) => Promise<void> = async () => undefined,
): Promise<void> {
  for (const item of items) {
    await before(item.call.id);
    try {
      await throughOutages(() => deps.judge.judgeAlone([item]), run, deps);
    } catch (error) {
      if (mustGoOn(error, deps)) throw error;
      await refuse([item], error instanceof Error ? error.message : String(error), run, deps);
    }
  }
}

function refuse(items: readonly RoundItem[], reason: string, run: JobRun, deps: JudgeJobDeps): Promise<void> {
  const ids = items.map(({ call }) => call.id);
  deps.onGuilty(ids, reason);
  return throughOutages(() => deps.judge.judgeAlone(items.map((item) => ({ ...item, guilty: true }))), run, deps);
}

/** Failures that the calls are not to blame for are never turned into denials. */
function mustGoOn(error: unknown, { isOutage }: JudgeJobDeps): boolean {
  return error instanceof JobReturned || isOutage(error);
}

/** Tries again, with growing and random pauses, while the database is away. */
async function throughOutages(work: () => Promise<void>, run: JobRun, deps: JudgeJobDeps): Promise<void> {
  const began = performance.now();
  for (let tries = 0; ; tries += 1) {
    if (deps.leaving.signal.aborted) throw new JobReturned('the worker leaves');
    try {
      return await work();
    } catch (error) {
      if (!deps.isOutage(error)) throw error;
      // With its lock lost, the job is somebody else's by now.
      if (run.signal.aborted || performance.now() - began > PATIENCE_MS) throw error;
      const longest = Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS);
      await pause(longest * (0.5 + Math.random() / 2), undefined, { signal: deps.leaving.signal }).catch(
        () => undefined,
      );
    }
  }
}

function suspect({ run, note: { returned } }: Case, suspicion: Suspicion): Promise<void> {
  return write(run, { returned, suspicion });
}

/** A note that cannot be written is no reason to leave the calls unjudged. */
async function write(run: JobRun, note: TrialNote): Promise<void> {
  await run.note(note).catch(() => undefined);
}
