/** A hundred people in four processes, on the page, in Slack and behind a webhook, who answer the same asks at the same moment. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { eventually, send } from '../system/doors.js';
import { cardOf } from './answering.js';
import { openAskWorld, TENANT, type AskWorld, type Person, type Seat } from './ask-world.js';

const RACER = fileURLToPath(new URL('./racer.mjs', import.meta.url));
const PEOPLE = 100;
const PROCESSES = 4;

/** What one person got. Slack acknowledges only; what became of the press is whispered. */
interface Press {
  readonly name: string;
  readonly seat: Seat;
  readonly answer: 'approve' | 'reject';
  readonly clickedAt: number;
  readonly status: number;
  readonly text: string;
}

type Heard = { readonly askId: string } & ({ readonly results: Press[] } | { readonly failure: string });

export interface RaceSums {
  readonly asks: number;
  readonly people: number;
  readonly winners: number;
  readonly refused: number;
  /** Refusals that named the winner. */
  readonly named: number;
  /** Asks that were won on each channel. */
  readonly wonOn: Readonly<Record<Seat, number>>;
  /** From the winner's click to the answer at the waiting agent, in milliseconds. */
  readonly clickToReleaseMs: { readonly p50: number; readonly p99: number };
}

export async function openRaceWorld(): Promise<AskWorld> {
  return openAskWorld({
    ask: ['Bash(make *)'],
    breaker: { inARow: 1_000_000, total: 1_000_000, counts: ['person'] },
    askCaps: { perSession: 100_000, perMinute: 100_000 },
  });
}

/** Races at one time, each with a hundred people of its own; a few asks are not worth more than one hundred. */
const lanesFor = (asks: number): number => Math.min(4, Math.ceil(asks / 50));

/** Runs so many races, a few at one time, prints the sums and gives them. `onRace` is told how many have ended. */
export async function runAskRace(
  world: AskWorld,
  asks: number,
  onRace: (ended: number) => void = () => undefined,
): Promise<RaceSums> {
  const racers = await Promise.all(Array.from({ length: PROCESSES }, startRacer));
  const races: Race[] = [];
  let next = 0;
  const lane = async (_none: unknown, place: number): Promise<void> => {
    const field = { world, racers, people: await world.enrol(PEOPLE, `r${place}`) };
    while (next < asks) {
      next += 1;
      races.push(await runOne(field, `race-${next}`));
      onRace(races.length);
    }
  };
  try {
    await Promise.all(Array.from({ length: lanesFor(asks) }, lane));
  } finally {
    for (const racer of racers) racer.kill('SIGKILL');
  }
  const sums = sumsOf(races);
  process.stdout.write(`ask race: ${JSON.stringify(sums)}\n`);
  return sums;
}

type Race = Awaited<ReturnType<typeof runOne>>;

function sumsOf(races: readonly Race[]): RaceSums {
  const sum = (of: (race: Race) => number): number => races.reduce((sofar, race) => sofar + of(race), 0);
  const won = (seat: Seat): number => sum((race) => (race.seat === seat ? 1 : 0));
  const took = races.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  const at = (share: number): number => Math.round(took[Math.ceil(share * took.length) - 1] ?? Number.NaN);
  return {
    asks: races.length,
    people: PEOPLE,
    winners: sum(({ winners }) => winners),
    refused: sum(({ refused }) => refused),
    named: sum(({ named }) => named),
    wonOn: { web: won('web'), slack: won('slack'), webhook: won('webhook') },
    clickToReleaseMs: { p50: at(0.5), p99: at(0.99) },
  };
}

async function startRacer(): Promise<ChildProcess> {
  const racer = fork(RACER, { execArgv: [], env: { PATH: process.env['PATH'] } });
  process.once('exit', () => racer.kill('SIGKILL'));
  racer.setMaxListeners(0);
  await once(racer, 'message');
  return racer;
}

interface Field {
  readonly world: AskWorld;
  readonly people: readonly Person[];
  readonly racers: readonly ChildProcess[];
}

async function runOne({ world, people, racers }: Field, sessionId: string) {
  const waiting = waitFor(world, sessionId);
  const askId = await askIn(world, sessionId);
  const whispered = world.slack.whispers.length;
  const presses = await pressAll({ world, people, racers }, askId);
  const { releasedAt, decision } = await waiting;
  const ask = await world.ledger.asks.get(TENANT, askId);
  const winner = presses.find(({ name }) => name === ask?.resolvedBy);
  if (!winner) throw new Error(`nobody won ${askId}: ${JSON.stringify(ask)}`);
  expect([ask?.resolvedVia, decision]).toEqual([winner.seat, winner.answer === 'approve' ? 'allow' : 'deny']);
  const told = await toldIn(world, people, presses, whispered);
  const losers = told.filter(({ name }) => name !== winner.name);
  await expectRecord(world, sessionId);
  return {
    winners: told.filter(({ late }) => !late).length,
    refused: losers.filter(({ late }) => late).length,
    named: losers.filter(({ text }) => text.includes(winner.name)).length,
    seat: winner.seat,
    tookMs: releasedAt - winner.clickedAt,
  };
}

const now = (): number => performance.timeOrigin + performance.now();

async function waitFor({ gateway, agentKey }: AskWorld, sessionId: string) {
  const body = { sessionId, toolUseId: 'only', tool: 'Bash', args: { command: 'make it' }, cwd: '/srv', wait: 60 };
  const { body: answer } = await send(`${gateway}/v1/tool-calls`, { key: agentKey, body });
  return { releasedAt: now(), decision: answer.decision };
}

const askIn = (world: AskWorld, sessionId: string): Promise<string> =>
  eventually(async () => {
    const { items } = await world.ledger.asks.list({ tenantId: TENANT, sessionId, status: 'open', limit: 1 });
    return items[0]?.id;
  });

async function pressAll({ world, people, racers }: Field, askId: string): Promise<Press[]> {
  const { slack, webhook, approvers } = world;
  const post = cardOf(world, askId);
  const press = (label: string) => slack.pressPayload({ post, label, user: 'U0' });
  const shared = {
    ...{ askId, approvers, signingSecret: slack.signingSecret, webhookSecret: webhook.secret },
    presses: { approve: press('Approve'), reject: press('Reject') },
  };
  const each = Math.ceil(people.length / racers.length);
  const heard = racers.map(async (racer, place) => {
    const answered = heardOf(racer, askId);
    racer.send({ ...shared, people: people.slice(place * each, (place + 1) * each) });
    const message = await answered;
    if ('failure' in message) throw new Error(message.failure);
    return message.results;
  });
  return (await Promise.all(heard)).flat();
}

/** What a process says of this ask; it may be busy with others at the same time. */
function heardOf(racer: ChildProcess, askId: string): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const end = (): void => reject(new Error('a process of people ended'));
    const listen = (message: Heard): void => {
      if (message.askId !== askId) return;
      racer.off('message', listen).off('exit', end);
      resolve(message);
    };
    racer.on('message', listen).once('exit', end);
  });
}

/** What each person was told in the end. */
async function toldIn(world: AskWorld, people: readonly Person[], presses: readonly Press[], whispered: number) {
  const userOf = new Map(people.map(({ name, user }) => [name, user]));
  return Promise.all(
    presses.map(async ({ name, seat, status, text }) => {
      if (seat !== 'slack') return { name, text, late: status === 409 };
      expect(status).toBe(200);
      const whispers = () => world.slack.whispers.slice(whispered).find(({ user }) => user === userOf.get(name))?.text;
      const told = await eventually(async () => whispers());
      return { name, text: told, late: told.includes('came too late') };
    }),
  );
}

/** One answer and one decision on record, and every refusal with who was refused. */
async function expectRecord({ ledger }: AskWorld, sessionId: string): Promise<void> {
  const of = async (type: string) => (await ledger.events.list(TENANT, { session: sessionId, type, limit: 200 })).items;
  expect(await of('AskAnswered')).toHaveLength(1);
  expect(await of('ToolCallDecided')).toHaveLength(1);
  const refused = await of('AskAnswerRefused');
  expect(new Set(refused.map(({ personId }) => personId)).size).toBe(PEOPLE - 1);
  expect(refused).toHaveLength(PEOPLE - 1);
}
