/**
 * `kill -9` while 500 calls are in flight, at several moments, with and without the database. After a new start the same calls are
 * sent again: every one has exactly one decision, nobody was allowed anything that is not stored, and the chains hold.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { StoredEvent } from '@countersign/contracts';
import { createChance, drawSeed } from './chance.js';
import { effectOf } from './claude-replies.js';
import { answerAsk, eventsOf, eventually, openAsks, send, type Answer } from './doors.js';
import { OwnHouse } from './own-house.js';

jest.setTimeout(300_000);

const CALLS = 500;
const SESSIONS = 10;
/** The denials of the mixture must not stop its sessions. */
const POLICY = {
  deny: ['Bash(git push --force *)'],
  ask: ['Bash(make *)'],
  allow: ['Bash(echo *)'],
  breaker: { inARow: 10_000, total: 100_000, counts: [] },
};

type Effect = 'allow' | 'deny' | 'ask';

interface Call {
  readonly sessionId: string;
  readonly toolUseId: string;
  readonly effect: Effect;
  readonly command: string;
  readonly door: 'tool-calls' | 'hook';
}

const COMMANDS: Readonly<Record<Effect, string>> = { allow: 'echo', deny: 'git push --force', ask: 'make' };
const chance = createChance(drawSeed('killed'));
const draw = (from: number, to: number): number => Math.floor(from + chance() * (to - from));

/** Half of the sessions use the hook door. Every tenth call repeats another's command under its own id: a question of its own. */
function drawCalls(round: number): Call[] {
  return Array.from({ length: CALLS }, (_, index) => {
    const session = index % SESSIONS;
    const lot = chance();
    const effect = lot < 0.5 ? 'allow' : lot < 0.75 ? 'deny' : 'ask';
    const subject = chance() < 0.1 ? session : index;
    return {
      sessionId: `round-${round}-${session}`,
      toolUseId: `toolu_${round}_${index}`,
      effect,
      command: `${COMMANDS[effect]} part-${subject}`,
      door: session < SESSIONS / 2 ? 'tool-calls' : 'hook',
    };
  });
}

let house: OwnHouse;
beforeAll(async () => {
  house = await OwnHouse.open(POLICY);
}, 180_000);
afterAll(() => house?.close(), 60_000);

/** What a refusal says that decides nothing: the house has too much to do, or waits for a part of its own. */
const FOR_NOW = /try again shortly/;

/** What the agent was told; null: nothing, since the connection broke or the call was refused for now. */
async function sendCall({ sessionId, toolUseId, command, door }: Call): Promise<string | null> {
  const { gateway, agentKey: key } = house.endpoints;
  const common = { cwd: '/tmp' };
  if (door === 'tool-calls') {
    const body = { ...common, sessionId, toolUseId, tool: 'Bash', args: { command }, wait: 60 };
    return waitForEnd(await send(`${gateway}/v1/tool-calls`, { key, body }).catch(() => null));
  }
  const body = {
    ...common,
    session_id: sessionId,
    hook_event_name: 'PreToolUse',
    permission_mode: 'default',
    tool_name: 'Bash',
    tool_input: { command },
    tool_use_id: toolUseId,
  };
  const answer = await send(`${gateway}/hooks/claude-code`, { key, body }).catch(() => null);
  return answer === null || FOR_NOW.test(JSON.stringify(answer.body)) ? null : effectOf(answer.body);
}

const MOST_TRIES = 100;

/** Sends a call to a house that runs, while it does; what is refused for now is sent again, as agents do. */
async function sendUntilTold(call: Call, runs: () => boolean = () => true): Promise<string | null> {
  for (let tries = 1; tries < MOST_TRIES; tries += 1) {
    const effect = await sendCall(call);
    if (effect !== null || !runs()) return effect;
    await pause(1_000);
    if (!runs()) return null;
  }
  return sendCall(call);
}

/** A call that is still pending after its wait is asked for again, as clients do. */
async function waitForEnd(answer: Answer | null): Promise<string | null> {
  const { gateway, agentKey: key } = house.endpoints;
  if (answer?.body.decision !== 'pending') return answer?.body.decision ?? null;
  const url = `${gateway}/v1/tool-calls/${answer.body.id}?wait=60`;
  return waitForEnd(await send(url, { key }).catch(() => null));
}

/** Called with the number of calls that were told something. */
type OnTold = (count: number) => void;

interface Wave {
  /** Tool-use id -> what was told so far. */
  readonly told: Map<string, string>;
  readonly done: Promise<unknown>;
  isDone(): boolean;
}

/** How long the calls that need nobody took, when they were sent together last. */
let answeringMs = 500;

type SendOne = (call: Call) => Promise<string | null>;

function sendAll(calls: readonly Call[], onTold: OnTold = () => undefined, sendOne: SendOne = sendCall): Wave {
  const told = new Map<string, string>();
  let ended = false;
  const done = Promise.all(
    calls.map(async (call) => {
      const effect = await sendOne(call);
      if (effect === null) return;
      told.set(call.toolUseId, effect);
      onTold(told.size);
    }),
  ).finally(() => (ended = true));
  return { told, done, isDone: () => ended };
}

/** The person of these tests: approves three of four, whatever is asked. */
const answerTo = (askId: string): 'approve' | 'reject' => (/[0-3]$/.test(askId) ? 'reject' : 'approve');
const EFFECTS = { approve: 'allow', reject: 'deny' } as const;

/** Answers every open ask once, all at the same time; `acknowledged` gets what the door confirmed. */
async function answerAll(acknowledged: Map<string, string>): Promise<void> {
  const asks = await openAsks(house.approver);
  await Promise.all(
    asks.map(async ({ id }) => {
      const answer = await answerAsk(house.approver, id, answerTo(id)).catch(() => null);
      if (answer?.status === 200) acknowledged.set(id, EFFECTS[answerTo(id)]);
    }),
  );
}

async function recordsOf(calls: readonly Call[], type: string): Promise<StoredEvent[]> {
  const sessions = [...new Set(calls.map(({ sessionId }) => sessionId))];
  const pages = await Promise.all(
    sessions.map((session) => eventsOf(house.auditor, `session=${session}&type=${type}`)),
  );
  return pages.flat();
}

const toolUseOf = (event: StoredEvent): string => (event.body as { request: { toolUseId: string } }).request.toolUseId;

const asksOf = (calls: readonly Call[]): number => calls.filter(({ effect }) => effect === 'ask').length;

/** Kills the house; the second time is too late. */
type Kill = () => void;

interface Moment {
  readonly name: string;
  readonly database: boolean;
  /** Sends the calls and kills at its moment; gives the wave, and the answers that people got acknowledged until then. */
  readonly run: (calls: readonly Call[], kill: Kill) => Promise<{ first: Wave; acknowledged: Map<string, string> }>;
}

/** So many milliseconds after the calls began to leave. */
const afterTime = (from: number, to: number) => async (calls: readonly Call[], kill: Kill) => {
  const first = sendAll(calls);
  await pause(draw(from, to));
  kill();
  return { first, acknowledged: new Map<string, string>() };
};

/** At a share of the time that the calls of the round before took to be answered. */
const amidAnswers = (from: number, to: number) => (calls: readonly Call[], kill: Kill) =>
  afterTime(from * answeringMs, to * answeringMs)(calls, kill);

/** Once everybody who is left waits for people. */
const whenAllWait = async (calls: readonly Call[], kill: Kill) => {
  let runs = true;
  const first = sendAll(calls, undefined, (call) => sendUntilTold(call, () => runs));
  await allAsked(calls, first);
  runs = false;
  kill();
  return { first, acknowledged: new Map<string, string>() };
};

/** When some of those who waited for people have heard of their answers. */
const whilePeopleAnswer = async (calls: readonly Call[], kill: Kill) => {
  const acknowledged = new Map<string, string>();
  const last = CALLS - asksOf(calls) + draw(1, asksOf(calls) / 2);
  let runs = true;
  const onTold: OnTold = (count) => {
    if (count < last) return;
    runs = false;
    kill();
  };
  const first = sendAll(calls, onTold, (call) => sendUntilTold(call, () => runs));
  await allAsked(calls, first);
  await answerAll(acknowledged);
  return { first, acknowledged };
};

const allAsked = async (calls: readonly Call[], wave: Wave): Promise<void> => {
  const asks = asksOf(calls);
  await eventually(async () => wave.told.size === CALLS - asks && (await openAsks(house.approver)).length === asks);
};

const MOMENTS: readonly Moment[] = [
  { name: 'shortly after they left', database: false, run: afterTime(20, 250) },
  { name: 'in the middle of the answers, the database with it', database: true, run: amidAnswers(0.2, 0.9) },
  { name: 'when everybody waits for people', database: false, run: whenAllWait },
  { name: 'while people answer, the database with it', database: true, run: whilePeopleAnswer },
];

describe('kill -9 with 500 calls in flight', () => {
  it.each(MOMENTS.map((moment, round) => [moment.name, moment, round] as const))('%s', async (_name, moment, round) => {
    const calls = drawCalls(round);
    let killed: Promise<void> | undefined;
    const { first, acknowledged } = await moment.run(calls, () => (killed ??= house.kill(moment)));
    await killed;
    await first.done;
    await house.start();

    const again = performance.now();
    const onTold: OnTold = (count) => {
      if (count === CALLS - asksOf(calls)) answeringMs = performance.now() - again;
    };
    const second = sendAll(calls, onTold, (call) => sendUntilTold(call));
    while (!second.isDone()) {
      await answerAll(new Map());
      await Promise.race([second.done, pause(200)]);
    }

    const decisions = await recordsOf(calls, 'ToolCallDecided');
    const byAsk = new Map(decisions.map((event) => [event.askId ?? '', event.decision]));
    const byCall = new Map(decisions.map((event) => [toolUseOf(event), event.decision] as const));
    process.stdout.write(
      `killed: ${first.told.size} of ${CALLS} answered and ${acknowledged.size} answers of people acknowledged before ` +
        `the end; ${decisions.length} decisions after it\n`,
    );
    expect(decisions.length).toBe(CALLS);
    expect(byCall.size).toBe(CALLS);
    // Whatever anybody was told, before or after, is what is stored.
    expect(Object.fromEntries(first.told)).toEqual(pick(byCall, first.told));
    expect(Object.fromEntries(second.told)).toEqual(Object.fromEntries(byCall));
    expect(Object.fromEntries(acknowledged)).toEqual(pick(byAsk, acknowledged));
    for (const { effect, toolUseId } of calls) {
      if (effect !== 'ask') expect([toolUseId, byCall.get(toolUseId)]).toEqual([toolUseId, effect]);
    }
    const verified = await house.run(['audit', 'verify', '--json']);
    expect({ code: verified.code, report: JSON.parse(verified.output) as object }).toMatchObject({
      code: 0,
      report: { problems: [] },
    });
  });

  it('left a database that recovered, and complains of nothing', async () => {
    const log = await house.postgresLog();
    const recoveries = log.match(/automatic recovery in progress/g) ?? [];
    expect(recoveries.length).toBeGreaterThanOrEqual(MOMENTS.filter(({ database }) => database).length);
    expect(log).not.toMatch(/PANIC|corrupt|invalid page|could not read block|checksum/i);
    expect(await house.stop()).toBe(0);
  });
});

/** The same ids of another map. */
const pick = (from: ReadonlyMap<string, string | null>, ids: ReadonlyMap<string, string>): object =>
  Object.fromEntries([...ids.keys()].map((id) => [id, from.get(id)]));
