/** A steady stream of calls as agents send them: the same ids again until each is decided, every answer timed. */
import { setMaxListeners } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { CallOutcome, PolicyInput } from '@countersign/contracts';

export type Effect = 'allow' | 'deny';

export interface LoadCall {
  readonly sessionId: string;
  readonly toolUseId: string;
  readonly effect: Effect;
}

/** One request for a call: what came of it, and how long that took. */
export interface Attempt {
  readonly kind: 'decided' | 'refused' | 'broken' | 'pending';
  readonly ms: number;
  /** Why it was not decided, in a word. */
  readonly why: string;
}

export interface Told {
  readonly call: LoadCall;
  readonly attempts: Attempt[];
  /** What the agent was told in the end; null: nothing was decided. */
  decision: string | null;
  ruleId: string | null;
}

export interface LoadOptions {
  /** Base URL of a gateway, or of a balancer before several. */
  readonly url: string;
  readonly key: string;
  readonly perSecond: number;
  readonly seconds: number;
  /** Makes the ids of this load differ from all others. */
  readonly name: string;
  /** Sessions that the calls are spread over. */
  readonly sessions?: number;
}

/** What ends a load before its time: no call is begun, and none is tried again. */
type Stopped = AbortSignal;

/** A policy under which the commands of the load need nobody, and never stop their session. */
export const LOAD_POLICY = {
  deny: ['Bash(git push --force *)'],
  ask: ['Bash(make *)'],
  allow: ['Bash(echo *)'],
  breaker: { inARow: 100_000, total: 1_000_000, counts: [] },
} satisfies PolicyInput;

const COMMANDS: Readonly<Record<Effect, string>> = { allow: 'echo', deny: 'git push --force' };
/** Who was refused comes back as `Retry-After` says, which is a second; who lost the connection a little sooner. */
const REFUSED_MS = 1_000;
const BROKEN_MS = 300;
/** Nobody goes on for longer than this; the test then says which calls were never decided. */
const GIVE_UP_MS = 90_000;

/**
 * Sends at a steady rate while `work` is done, whatever becomes of the calls before; resolves when each is decided or was given up.
 * A load whose work failed is stopped, so that nothing goes on behind the test that failed.
 */
export async function underLoad<T>(options: LoadOptions, work: () => Promise<T>): Promise<{ told: Told[]; done: T }> {
  const end = new AbortController();
  // Every call listens, and there are many.
  setMaxListeners(0, end.signal);
  const load = runLoad(options, end.signal);
  load.catch(() => undefined);
  try {
    const done = await work();
    return { told: await load, done };
  } finally {
    end.abort();
    await load.catch(() => undefined);
  }
}

async function runLoad(options: LoadOptions, stopped: Stopped): Promise<Told[]> {
  const { perSecond, seconds, name, sessions = 20 } = options;
  const total = Math.round(perSecond * seconds);
  const began = performance.now();
  const all: Promise<Told>[] = [];
  for (let index = 0; index < total && !stopped.aborted; index += 1) {
    const due = began + (index * 1_000) / perSecond;
    const wait = due - performance.now();
    if (wait > 1) await pause(wait);
    const effect: Effect = index % 4 === 3 ? 'deny' : 'allow';
    const call: LoadCall = { sessionId: `${name}-${index % sessions}`, toolUseId: `${name}_${index}`, effect };
    all.push(untilDecided(call, options, stopped));
  }
  return Promise.all(all);
}

async function untilDecided(call: LoadCall, options: LoadOptions, stopped: Stopped): Promise<Told> {
  const told: Told = { call, attempts: [], decision: null, ruleId: null };
  const giveUp = performance.now() + GIVE_UP_MS;
  while (told.decision === null && performance.now() < giveUp && !stopped.aborted) {
    const answer = await sendOnce(call, options, stopped);
    const kind = kindOf(answer);
    told.attempts.push({ kind, ms: answer.ms, why: whyOf(answer) });
    if (kind === 'decided' && !('broken' in answer)) {
      told.decision = answer.body.decision ?? null;
      told.ruleId = answer.body.ruleId ?? null;
    } else await pause((kind === 'broken' ? BROKEN_MS : REFUSED_MS) * (0.75 + Math.random() / 2));
  }
  return told;
}

interface Answer {
  readonly status: number;
  readonly body: Partial<CallOutcome> & { error?: { code: string } };
  readonly ms: number;
}

/** No answer: the connection broke, for that reason. */
interface Broken {
  readonly broken: string;
  readonly ms: number;
}

const whyOf = (answer: Answer | Broken): string =>
  'broken' in answer ? answer.broken : (answer.body.error?.code ?? '');

function kindOf(answer: Answer | Broken): Attempt['kind'] {
  if ('broken' in answer) return 'broken';
  if (answer.status !== 200) return 'refused';
  return answer.body.decision === 'pending' ? 'pending' : 'decided';
}

/** Agents keep their connections. Whoever waits for a free one here is no matter of the service, so that time does not count. */
const agent = new Agent({ keepAlive: true, maxSockets: 800, timeout: 60_000 });

function sendOnce(call: LoadCall, { url, key }: LoadOptions, signal: Stopped): Promise<Answer | Broken> {
  const { sessionId, toolUseId, effect } = call;
  const args = { command: `${COMMANDS[effect]} ${toolUseId}` };
  const body = JSON.stringify({ sessionId, toolUseId, tool: 'Bash', args, cwd: '/tmp', wait: 30 });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return new Promise((resolve) => {
    let began = performance.now();
    const broke = (error: unknown): void =>
      resolve({ broken: String((error as { code?: unknown }).code), ms: performance.now() - began });
    const sent = request(`${url}/v1/tool-calls`, { method: 'POST', agent, headers, signal }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', broke);
      response.on('end', () => {
        const text = Buffer.concat(parts).toString();
        resolve({ status: response.statusCode ?? 0, body: parsed(text), ms: performance.now() - began });
      });
    });
    sent.on('socket', () => (began = performance.now()));
    sent.on('error', broke);
    sent.end(body);
  });
}

function parsed(text: string): Answer['body'] {
  try {
    return JSON.parse(text) as Answer['body'];
  } catch {
    return {};
  }
}
