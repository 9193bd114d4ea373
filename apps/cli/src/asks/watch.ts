/** `countersign asks watch`: asks as they open and close, live; with a terminal in front, answered by keys. */
import { askViewSchema, type AskView } from '@countersign/contracts';
import { io, type Socket } from 'socket.io-client';
import { z } from 'zod';
import type { CliEnv } from '../env.js';
import { complain, print, type Streams } from '../policy/streams.js';
import { EMPTY_DESK, step, type DeskEffect, type DeskEvent } from './desk.js';
import { DONE, NOT_ASKED } from './exit-codes.js';
import { findDoor, isKeyRefusal, keyLine, sendAnswer, type PeopleDoor } from './people-door.js';
import { askLine, askText, endLine, endOf, refusalLine, terminalCard } from './render.js';

/** A terminal's own input, or a pipe. */
export interface WatchInput extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
}

export interface WatchOptions {
  readonly json: boolean;
  /** Ends the watch. */
  readonly signal?: AbortSignal;
}

const noticeSchema = z.object({
  id: z.string(),
  status: z.string(),
  by: z.string().nullable(),
  via: z.string().nullable(),
  at: z.string().nullable(),
  edited: z.boolean().default(false),
});

/** Runs until the person quits or the key is refused; gives the exit code. */
export async function watchAsks(
  env: CliEnv,
  options: WatchOptions,
  streams: Streams & { readonly input: WatchInput },
): Promise<number> {
  const door = await findDoor(env);
  if (typeof door === 'string') {
    complain(streams, door);
    return NOT_ASKED;
  }
  const keys = streams.input.isTTY === true && !options.json;
  return new Promise((resolve) => {
    const watch = createWatch(door, { ...options, keys }, streams, (code) => {
      watch.stop();
      resolve(code);
    });
    options.signal?.addEventListener('abort', () => watch.end(DONE), { once: true });
  });
}

interface Watch {
  end(code: number): void;
  stop(): void;
}

interface WatchTerms extends WatchOptions {
  readonly keys: boolean;
}

function createWatch(
  door: PeopleDoor,
  terms: WatchTerms,
  streams: Streams & { readonly input: WatchInput },
  end: (code: number) => void,
): Watch {
  const known = new Set<string>();
  let desk = EMPTY_DESK;
  let cursor: string | null = null;
  const happen = (event: DeskEvent): void => {
    if (!terms.keys) return;
    const next = step(desk, event);
    desk = next.desk;
    for (const effect of next.effects) carryOut(door, effect, streams, end);
  };
  const opened = (ask: AskView): void => {
    // What was missed is told with what is known already.
    if (known.has(ask.id)) return;
    known.add(ask.id);
    print(streams, terms.json ? JSON.stringify({ type: 'opened', ask }) : `+ ${askLine(ask)}`);
    happen({ type: 'opened', ask });
  };
  const closed = (raw: unknown): void => {
    const { id, status, by, via, at, edited } = noticeSchema.parse(raw);
    if (!known.delete(id)) return;
    const end = { status, resolvedBy: by, resolvedVia: via, resolvedAt: at, edited };
    print(streams, terms.json ? JSON.stringify({ type: 'closed', id, ...end }) : `- ${id}  ${endLine(end)}`);
    happen({ type: 'closed', id });
  };
  const note = (text: string): void => {
    if (!terms.json) print(streams, `  ${text}`);
  };
  const socket = connect(door, () => cursor);
  socket.on('ask.opened', (message: unknown) => opened(z.object({ ask: askViewSchema }).parse(message).ask));
  socket.on('ask.closed', closed);
  socket.on('caught.up', (message: unknown) => {
    cursor = z.object({ version: z.string() }).parse(message).version;
  });
  socket.on('line.paused', () => note('live updates paused'));
  socket.on('line.resumed', () => {
    note('live updates go on');
    // The same as after an absence: what was said meanwhile is asked for.
    socket.disconnect().connect();
  });
  socket.on('disconnect', (reason) => {
    if (reason === 'io client disconnect') return;
    note('live updates paused');
    if (reason === 'io server disconnect') socket.connect();
  });
  socket.on('connect_error', (error) => {
    const { code } = (error as { data?: { code?: string } }).data ?? {};
    if (code === undefined || !isKeyRefusal(code)) return note(`live updates paused: ${error.message}`);
    complain(streams, keyLine(error.message, code, door));
    end(NOT_ASKED);
  });
  const stopKeys = terms.keys ? takeKeys(streams.input, (key) => happen({ type: 'key', key })) : () => undefined;
  const stop = (): void => {
    stopKeys();
    socket.disconnect();
  };
  return { end, stop };
}

/** An empty cursor gets everything that is open; a later one what ended meanwhile, too. */
function connect(door: PeopleDoor, cursor: () => string | null): Socket {
  return io(`${door.url}/approvals`, {
    transports: ['websocket'],
    forceNew: true,
    reconnectionDelayMax: 2_000,
    auth: (give) => give({ token: door.token, since: cursor() ?? '' }),
  });
}

function carryOut(door: PeopleDoor, effect: DeskEffect, streams: Streams, end: (code: number) => void): void {
  switch (effect.type) {
    case 'show':
      print(streams, `\n${askText(effect.ask)}\n[a]pprove  [r]eject  [n]ext  [q]uit`);
      return;
    case 'confirm':
      print(streams, `${effect.answer} ${effect.ask.id}? [y]es, any other key: no`);
      return;
    case 'answer':
      void answer(door, effect.ask, effect.answer, streams);
      return;
    case 'say':
      print(streams, effect.text);
      return;
    case 'quit':
      end(DONE);
      return;
    default: {
      const never: never = effect;
      return never;
    }
  }
}

async function answer(door: PeopleDoor, ask: AskView, given: 'approve' | 'reject', streams: Streams): Promise<void> {
  if (given === 'approve' && !terminalCard(ask).approvable) {
    print(streams, 'it is too long to be shown whole here: open the page to approve it');
    return;
  }
  const told = await sendAnswer(door, ask.id, { answer: given, version: ask.version });
  if (told.kind === 'told') print(streams, endLine(endOf(told.value)));
  else print(streams, told.kind === 'refused' ? refusalLine(told.message, told.details) : told.reason);
}

function takeKeys(input: WatchInput, press: (key: string) => void): () => void {
  const heard = (chunk: Buffer | string): void => {
    for (const key of chunk.toString()) press(key);
  };
  input.setRawMode?.(true);
  input.on('data', heard);
  input.resume();
  return () => {
    input.off('data', heard);
    input.setRawMode?.(false);
    input.pause();
  };
}
