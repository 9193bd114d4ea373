/** A steady load for as long as wanted, and what it does to the memory of the processes and of Redis. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { io, type Socket } from 'socket.io-client';
import { allPages, send, type Answer } from '../system/doors.js';
import type { FaultHouse } from '../faults/house.js';
import type { ServiceName } from '../faults/service.js';
import { usedMemory } from './redis-memory.js';

/** Every tenth call asks for nothing that a rule knows, every eighth of those is put to people; arguments of 1 and of 4 KB. */
export const SOAK_POLICY = { allow: ['Bash(echo *)'], deny: ['Bash(dd *)'], ask: ['Bash(make *)'] };

export interface SoakOptions {
  readonly seconds: number;
  readonly perSecond: number;
  readonly sockets: number;
  /** Told every ten seconds. */
  readonly say: (line: string) => void;
}

/** MB by process and of Redis, at one moment. */
export type Sample = Readonly<Record<ServiceName | 'redis', number>> & { readonly second: number };

export interface SoakReport {
  readonly calls: number;
  /** Decisions and refusals, by what was told. */
  readonly answers: Readonly<Record<string, number>>;
  /** Calls that were refused with 503: the service or what it needs had no room. */
  readonly refused: number;
  readonly wrong: readonly string[];
  readonly asksAnswered: number;
  readonly heardBySockets: number;
  readonly samples: readonly Sample[];
}

interface Running {
  readonly house: FaultHouse;
  readonly answers: Record<string, number>;
  readonly wrong: string[];
  readonly pending: string[];
  calls: number;
  asksAnswered: number;
  heard: number;
  /** When the person who answers may leave. */
  ends: 'no' | 'when all are answered' | 'now';
}

const SESSIONS = 64;
const MOST_OPEN = 100;
const SAMPLE_MS = 5_000;
const MOST_WRONG = 20;
const REFUSALS: ReadonlySet<string> = new Set(['overloaded', 'unavailable']);
const SERVICES = ['gateway', 'worker', 'approver'] as const;

/** Calls of all kinds, their results, asks that are answered, and people who watch. Nothing of it goes on when it fails. */
export async function soak(house: FaultHouse, options: SoakOptions): Promise<SoakReport> {
  const running: Running = {
    house,
    answers: {},
    wrong: [],
    pending: [],
    calls: 0,
    asksAnswered: 0,
    heard: 0,
    ends: 'no',
  };
  const lines = Array.from({ length: options.sockets }, () => watch(running));
  const answering = answerAsks(running);
  // What it throws is told when it is waited for, and that may be after something else failed.
  answering.catch(() => undefined);
  const open = new Set<Promise<void>>();
  try {
    const samples = await pour(running, open, options);
    await Promise.all(open);
    // The last calls may still become asks when the time is over.
    running.ends = 'when all are answered';
    await answering;
    samples.push(await sample(house, options.seconds));
    return reportOf(running, samples);
  } finally {
    running.ends = 'now';
    lines.forEach((line) => line.disconnect());
    await Promise.allSettled([answering, ...open]);
  }
}

/** Begins calls at the rate until the time is over, and takes samples meanwhile. */
async function pour(running: Running, open: Set<Promise<void>>, options: SoakOptions): Promise<Sample[]> {
  const { seconds, perSecond, say } = options;
  const samples: Sample[] = [await sample(running.house, 0)];
  const began = performance.now();
  let sampledAt = began;
  while (performance.now() - began <= seconds * 1_000) {
    const due = Math.floor(((performance.now() - began) / 1_000) * perSecond);
    // Whoever waits this long already is joined by nobody: the load falls behind instead of piling up.
    while (running.calls < due && open.size < MOST_OPEN) {
      const one: Promise<void> = callOnce(running, running.calls).finally(() => open.delete(one));
      open.add(one);
      running.calls += 1;
    }
    if (performance.now() - sampledAt > SAMPLE_MS) {
      sampledAt = performance.now();
      samples.push(await sample(running.house, Math.round((sampledAt - began) / 1_000)));
      if (samples.length % 2 === 0) say(`${running.calls} calls, ${open.size} open, ${JSON.stringify(samples.at(-1))}`);
    }
    await pause(20);
  }
  return samples;
}

function reportOf({ calls, answers, wrong, asksAnswered, heard }: Running, samples: readonly Sample[]): SoakReport {
  const refused = [...REFUSALS].reduce((sum, code) => sum + (answers[code] ?? 0), 0);
  return { calls, answers, refused, wrong, asksAnswered, heardBySockets: heard, samples };
}

interface Kind {
  readonly command: string;
  readonly expected: string;
}

/** The expected answer is known beforehand: an overloaded service may refuse, never decide otherwise. */
function kindOf(index: number): Kind {
  const padding = 'x'.repeat(index % 4 === 0 ? 4_000 : 1_000);
  if (index % 80 === 0) return { command: `make target-${index}`, expected: 'pending' };
  if (index % 10 === 0) return { command: `dd if=${padding}`, expected: 'deny' };
  return { command: `echo ${padding}`, expected: 'allow' };
}

async function callOnce(running: Running, index: number): Promise<void> {
  const { house } = running;
  const { command, expected } = kindOf(index);
  // Each is left before its denials open its breaker.
  const sessionId = `soak-${index % SESSIONS}-${Math.floor(index / (SESSIONS * 50))}`;
  const body = { sessionId, toolUseId: randomUUID(), tool: 'Bash', args: { command }, cwd: '/tmp', wait: 0 };
  const gateway = house.gatewayUrl;
  const key = house.keys.agentKey;
  try {
    const answer = await send(`${gateway}/v1/tool-calls`, { key, body });
    const told = toldBy(answer);
    note(running, told, expected, index);
    if (answer.body.askId !== undefined) running.pending.push(answer.body.askId);
    if (told !== 'allow' || index % 5 !== 0) return;
    const result = { status: 'succeeded', output: 'y'.repeat(500), elapsedMs: 3 };
    await send(`${gateway}/v1/tool-calls/${answer.body.id}/result`, { key, body: result });
  } catch (error) {
    const { message, cause } = error as Error;
    note(running, `broken: ${message}: ${(cause as Error | undefined)?.message ?? ''}`, expected, index);
  }
}

/** The decision, or the code of the refusal. */
function toldBy({ status, body }: Answer): string {
  return body.decision ?? body.error?.code ?? String(status);
}

function note({ answers, wrong }: Running, told: string, expected: string, index: number): void {
  answers[told] = (answers[told] ?? 0) + 1;
  if (REFUSALS.has(told)) return;
  if (told !== expected && wrong.length < MOST_WRONG) wrong.push(`call ${index}: ${told}, not ${expected}`);
}

/** A person who answers one ask after the other; two of three are approved. */
async function answerAsks(running: Running): Promise<void> {
  const { house, pending } = running;
  while (running.ends === 'no' || (running.ends !== 'now' && pending.length > 0)) {
    const askId = pending.shift();
    if (askId === undefined) {
      await pause(50);
      continue;
    }
    const answer = running.asksAnswered % 3 === 0 ? 'reject' : 'approve';
    const url = `${house.approverUrl}/v1/asks/${askId}/answer`;
    const { status } = await send(url, { key: house.keys.approverKey, body: { answer } });
    if (status !== 200 && running.wrong.length < MOST_WRONG) running.wrong.push(`ask ${askId}: ${status}`);
    running.asksAnswered += 1;
  }
}

function watch(running: Running): Socket {
  const { house } = running;
  const options = { transports: ['websocket'], auth: { token: house.keys.approverKey }, forceNew: true };
  const socket = io(`${house.approverUrl}/approvals`, options);
  socket.on('ask.opened', () => (running.heard += 1));
  return socket;
}

async function sample(house: FaultHouse, second: number): Promise<Sample> {
  const [gateway, worker, approver] = await Promise.all(SERVICES.map((name) => residentMb(house.service(name).url)));
  const redis = await usedMemory(house.redis.port);
  return { second, gateway: gateway ?? 0, worker: worker ?? 0, approver: approver ?? 0, redis: mb(redis) };
}

async function residentMb(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return mb(Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]));
}

const mb = (bytes: number): number => Math.round((bytes / 1024 / 1024) * 10) / 10;

/** What is wrong with any chain, as the approver's own door says; throws when it was not checked. */
export async function chainProblems(house: FaultHouse): Promise<unknown[]> {
  const { status, body } = await send(`${house.approverUrl}/v1/verify`, { key: house.keys.auditorKey });
  const { events, problems } = body as { events?: number; problems?: unknown[] };
  if (problems === undefined || !events) throw new Error(`the chains were not checked: ${status}`);
  return problems;
}

/** Asks that are still open. */
export async function openAsks(house: FaultHouse): Promise<number> {
  return (await allPages(`${house.approverUrl}/v1/asks?status=open&limit=500`, house.keys.approverKey)).length;
}
