/** `countersign asks list|show|approve|reject`: one look or one answer, then the end. */
import { readFile } from 'node:fs/promises';
import { fileProblem, jsonProblemText, readStrictJson, type AskView } from '@countersign/contracts';
import type { CliEnv } from '../env.js';
import { complain, print, type Streams } from '../policy/streams.js';
import { DONE, NOT_ASKED, NOT_TAKEN } from './exit-codes.js';
import {
  findDoor,
  getAsk,
  isKeyRefusal,
  keyLine,
  openAsks,
  sendAnswer,
  type PeopleDoor,
  type Told,
} from './people-door.js';
import { askLine, askText, endLine, endOf, refusalLine, terminalCard } from './render.js';

export interface AnswerOptions {
  readonly scope: 'once' | 'session' | 'always';
  readonly pattern?: string;
  /** Seconds. */
  readonly ttl?: number;
  readonly uses?: number;
  readonly reason?: string;
  /** File with the arguments that run instead, as JSON. */
  readonly input?: string;
  readonly json: boolean;
}

export async function listAsks(env: CliEnv, options: { json: boolean }, streams: Streams): Promise<number> {
  return withDoor(env, streams, async (door) => {
    const told = await openAsks(door);
    if (told.kind !== 'told') return explain(told, door, streams);
    for (const ask of told.value) print(streams, options.json ? JSON.stringify(ask) : askLine(ask));
    if (!options.json && told.value.length === 0) print(streams, 'nobody is asked anything');
    return DONE;
  });
}

export async function showAsk(
  env: CliEnv,
  id: string,
  options: { readonly json: boolean },
  streams: Streams,
): Promise<number> {
  return withDoor(env, streams, async (door) => {
    const told = await getAsk(door, id);
    if (told.kind !== 'told') return explain(told, door, streams);
    print(streams, options.json ? JSON.stringify(told.value) : askText(told.value));
    return DONE;
  });
}

export interface Answering extends AnswerOptions {
  readonly id: string;
  readonly answer: 'approve' | 'reject';
}

/** INVARIANT: what is approved is what was shown: the card is printed first, and the answer names its version. */
export async function answerAsk(env: CliEnv, options: Answering, streams: Streams): Promise<number> {
  const input = await readInput(options.input);
  if (!input.ok) {
    complain(streams, input.problem);
    return NOT_ASKED;
  }
  return withDoor(env, streams, async (door) => {
    const shown = await getAsk(door, options.id);
    if (shown.kind !== 'told') return explain(shown, door, streams);
    const ask = shown.value;
    if (!options.json) print(streams, askText(ask));
    if (options.answer === 'approve' && ask.status === 'open' && !terminalCard(ask).approvable) {
      complain(streams, 'it is too long to be shown whole here: open the page to approve it');
      return NOT_TAKEN;
    }
    const told = await sendAnswer(door, options.id, bodyOf(options, ask, input.value));
    if (told.kind !== 'told') return explain(told, door, streams);
    print(streams, options.json ? JSON.stringify(told.value) : endLine(endOf(told.value)));
    return DONE;
  });
}

function bodyOf({ answer, scope, pattern, ttl, uses, reason }: Answering, { version }: AskView, updatedInput: unknown) {
  const given = { pattern, ttl, uses, reason, updatedInput };
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  return { answer, scope, version, ...Object.fromEntries(known) };
}

type Input = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

async function readInput(path: string | undefined): Promise<Input> {
  if (path === undefined) return { ok: true, value: undefined };
  try {
    const read = readStrictJson(await readFile(path, 'utf8'));
    if (read.ok) return { ok: true, value: read.value };
    return { ok: false, problem: `${path} cannot be used: its JSON is ${jsonProblemText(read.problem)}` };
  } catch (error) {
    return { ok: false, problem: `${path}: ${fileProblem(error)}` };
  }
}

async function withDoor(env: CliEnv, streams: Streams, run: (door: PeopleDoor) => Promise<number>): Promise<number> {
  const door = await findDoor(env);
  if (typeof door !== 'string') return run(door);
  complain(streams, door);
  return NOT_ASKED;
}

function explain(told: Exclude<Told<unknown>, { kind: 'told' }>, door: PeopleDoor, streams: Streams): number {
  if (told.kind === 'unreachable') {
    complain(streams, told.reason);
    return NOT_ASKED;
  }
  if (isKeyRefusal(told.code)) {
    complain(streams, keyLine(told.message, told.code, door));
    return NOT_ASKED;
  }
  complain(streams, `${refusalLine(told.message, told.details)} (${told.code})`);
  return NOT_TAKEN;
}
