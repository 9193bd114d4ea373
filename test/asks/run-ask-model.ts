/** Many sessions side by side, each through a random life of its asks; then what is stored is held against the rules. */
import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { PolicyInput, SessionEvent } from '@countersign/contracts';
import { eventually, type Answer } from '../system/doors.js';
import { askCommands, call, newAskModel, type AskCommand, type Restarts } from './ask-commands.js';
import { AskRun, isWithheld, seldom } from './ask-run.js';
import { storyOf } from './ask-story.js';
import { TENANT, type AskWorld, type Person } from './ask-world.js';

export const ASK_POLICY: PolicyInput = {
  ask: ['Bash(make *)'],
  breaker: { inARow: 1_000, total: 1_000, counts: ['person'] },
  options: { maxRepeats: 1_000 },
  askTimeout: { after: 3_600, outcome: 'deny' },
  askCaps: { perSession: 100_000, perMinute: 100_000 },
};

export interface ModelPlan {
  readonly seed: number;
  readonly runs: number;
  /** Runs at one time. */
  readonly lanes: number;
  readonly commands: number;
  /** No run but the first of each lane begins later than this, in milliseconds; absent: all of them do. */
  readonly withinMs?: number;
  /** Between two restarts of a worker, and of an approver, in milliseconds. */
  readonly restartEveryMs: number;
  /** After each life. */
  readonly onLife?: (sums: Readonly<ModelSums>) => void;
}

export interface ModelSums {
  runs: number;
  asks: number;
  approved: number;
  rejected: number;
  cancelled: number;
  expired: number;
  grants: number;
  unavailable: number;
  /** Allows that a kill switch kept back until its release. */
  withheld: number;
  workerRestarts: number;
  approverRestarts: number;
}

const newSums = (): ModelSums => ({
  ...{ runs: 0, asks: 0, approved: 0, rejected: 0, cancelled: 0, expired: 0, grants: 0, unavailable: 0, withheld: 0 },
  ...{ workerRestarts: 0, approverRestarts: 0 },
});

/** Throws with the commands of the run that differs from the model, and its seed. */
export async function runAskModel(world: AskWorld, plan: ModelPlan): Promise<ModelSums> {
  const sums = newSums();
  const restarts = restartsOf(world, plan, sums);
  let over = false;
  const each = Math.ceil(plan.runs / plan.lanes);
  const lanes = Array.from({ length: plan.lanes }, async (_none, lane) => {
    const people = await world.enrol(4, `lane${lane}`);
    const run = runLane({ world, people, restarts, sums, isOver: () => over }, { ...plan, runs: each }, lane);
    await run.catch((error: unknown) => {
      over = true;
      throw error;
    });
  });
  // The other lanes finish what they have begun before the world is closed under them.
  const ended = await Promise.allSettled(lanes);
  for (const lane of ended) if (lane.status === 'rejected') throw lane.reason;
  await allCardsClosed(world);
  return sums;
}

function restartsOf(world: AskWorld, { restartEveryMs }: ModelPlan, sums: ModelSums): Restarts {
  const worker = seldom(async () => {
    await world.restartWorker();
    sums.workerRestarts += 1;
  }, restartEveryMs);
  const approver = seldom(async () => {
    await world.restartApprover();
    sums.approverRestarts += 1;
  }, restartEveryMs);
  return { worker, approver };
}

interface Lane {
  readonly world: AskWorld;
  readonly people: readonly Person[];
  readonly restarts: Restarts;
  readonly sums: ModelSums;
  /** A lane has failed: no other begins anything more. */
  readonly isOver: () => boolean;
}

const FIRST_CALLS = ['make a', 'make b'];

async function runLane({ world, people, restarts, sums, isOver }: Lane, plan: ModelPlan, lane: number): Promise<void> {
  let started = 0;
  let story: string | null = null;
  const until = performance.now() + (plan.withinMs ?? Number.POSITIVE_INFINITY);
  const life = fc.asyncProperty(
    fc.commands(askCommands(restarts), { maxCommands: plan.commands, size: 'max' }),
    async (commands) => {
      if (isOver() || (started > 0 && performance.now() > until)) return;
      started += 1;
      const run = new AskRun(world, `ask-model-${lane}-${started}`, people);
      // Thousands of lives send more messages than there is memory to keep them.
      world.webhook.received.length = 0;
      world.webhook.attempts.length = 0;
      try {
        await live(run, commands, sums);
        plan.onLife?.(sums);
      } catch (error) {
        story = await storyOf(run, error);
        throw error;
      }
    },
  );
  await fc.assert(life, { numRuns: plan.runs, seed: plan.seed + lane, endOnFailure: true }).catch((error: Error) => {
    throw new Error(`${error.message}\n\n${story ?? ''}`);
  });
}

async function live(run: AskRun, commands: Iterable<AskCommand>, sums: ModelSums): Promise<void> {
  const model = newAskModel();
  // So that there is something to answer from the first command on.
  for (const text of FIRST_CALLS) await call(text).run(model, run);
  await fc.asyncModelRun(() => ({ model, real: run }), commands);
  if (model.killed) await run.release();
  if (model.started) await run.stop();
  await holdAgainst(run, sums);
}

/** Every ask of the run has one end, every waiter was told of it, and what is allowed was approved or granted by somebody. */
async function holdAgainst(run: AskRun, sums: ModelSums): Promise<void> {
  const events = await eventsOf(run);
  for (const { askId, released: first } of run.calls) {
    const ask = await run.ended(askId);
    const waiters = [first, ...run.joined.filter((one) => one.askId === askId).map((one) => one.released)];
    const decision = ask.status === 'approved' ? 'allow' : 'deny';
    for (const released of waiters) {
      const told = await toldInTheEnd(run, await released);
      expect([askId, told.body.decision, told.body.approvalStatus]).toEqual([askId, decision, ask.status]);
    }
    const resolved = events.filter((one) => one.type === 'AskResolved' && one.body.askId === askId);
    const decided = events.filter((one) => one.type === 'ToolCallDecided' && one.body.decision.askId === askId);
    const approvals = events.filter(
      (one) => one.type === 'AskAnswered' && one.body.askId === askId && one.body.answer === 'approve',
    );
    expect([askId, resolved.length, decided.length]).toEqual([askId, 1, waiters.length]);
    expect(approvals).toHaveLength(ask.status === 'approved' ? 1 : 0);
    sums.asks += 1;
    if (ask.status !== 'open') sums[ask.status] += 1;
  }
  allowedForAReason(events, sums);
  sums.unavailable += run.unavailable;
  sums.withheld += run.withheld;
  sums.runs += 1;
}

/** An approval that met a kill switch on its way out was kept back, and is handed out to whoever asks after the release. */
async function toldInTheEnd(run: AskRun, told: Answer): Promise<Answer> {
  if (run.kills === 0 || !isWithheld(told)) return told;
  return run.untilHandedOut(told);
}

/** INVARIANT: no rule of the policy allows anything, so whatever ran without being asked rests on a grant that an approval made. */
function allowedForAReason(events: readonly SessionEvent[], sums: ModelSums): void {
  const made = events.filter((one) => one.type === 'GrantCreated').map(({ body }) => body.grant.askId);
  const approved = events.flatMap((one) =>
    one.type === 'AskAnswered' && one.body.answer === 'approve' ? [one.body.askId] : [],
  );
  expect(made.filter((askId) => !approved.includes(askId))).toEqual([]);
  sums.grants += made.length;
  for (const event of events) {
    if (event.type !== 'ToolCallDecided' || event.body.decision.effect !== 'allow') continue;
    const { askId } = event.body.decision;
    if (askId === null) expect(made.length).toBeGreaterThan(0);
    else expect(approved).toContain(askId);
  }
}

async function eventsOf({ world, sessionId, calls }: AskRun): Promise<SessionEvent[]> {
  const read = async (): Promise<SessionEvent[]> => {
    const page = await world.ledger.events.ofStream({ tenantId: TENANT, streamId: sessionId }, 0, 5_000);
    return page.map(({ type, version, body }) => ({ type, version, body }) as unknown as SessionEvent);
  };
  return eventually(async () => {
    const events = await read();
    const ended = events.filter(({ type }) => type === 'AskResolved').length;
    return ended >= calls.length && events;
  });
}

/** Neither the record nor anybody's screen has a card of an ended ask that may still be pressed. */
async function allCardsClosed({ owner, slack }: AskWorld): Promise<void> {
  await eventually(async () => {
    const { rows } = await owner.query<{ open: string }>(
      `SELECT count(*)::text AS open FROM deliveries d JOIN asks a ON a.id = d.ask_id
       WHERE a.status <> 'open' AND d.state IN ('sent', 'sending', 'waiting')`,
    );
    return rows[0]?.open === '0';
  });
  const twice = await owner.query("SELECT ask_id, channel FROM deliveries WHERE kind LIKE 'close-close-%'");
  expect(twice.rows).toEqual([]);
  const pressable = slack.posts.filter(({ blocks }) => blocks.some(({ type }) => type === 'actions'));
  expect(pressable).toEqual([]);
}
