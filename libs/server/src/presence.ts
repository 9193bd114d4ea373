/** Which gateways and workers live, heard over the bus: a gateway is ready while a worker takes its calls and can open their seal. */
import type { AliveMessage } from '@countersign/contracts';
import { NotReady } from './health/probes.js';

/** The part of the bus that is needed. */
export interface AliveLine {
  alive(message: AliveMessage): Promise<void>;
  onAlive(listener: (message: AliveMessage) => void): Promise<() => Promise<void>>;
}

export interface PresenceOptions {
  readonly bus: AliveLine;
  readonly app: AliveMessage['app'];
  /** Unlike any other process's. */
  readonly id: string;
  /** Check values of the keys that it opens; it seals with the first. */
  readonly seals: readonly string[];
  /** False: says nothing for now, so that nobody counts on it; true unless given. */
  readonly speaks?: () => boolean;
  /** Hears, once for each time, that a process came whose keys do not fit. */
  readonly onMisfit?: (line: string) => void;
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number;
  /** Pause between two signs of life; 2 s unless given. */
  readonly everyMs?: number;
}

export interface Presence {
  /** From now on others hear of it. */
  appear(): void;
  /** Others hear that it goes. */
  leave(): Promise<void>;
  /** Living processes of the other kind. */
  readonly others: number;
  /** Waits until somebody of the other kind was heard, at most `ms`. */
  heard(ms: number): Promise<void>;
  /** Throws NotReady unless a worker lives that opens what this gateway seals. */
  requireWorker(): Promise<void>;
  /** One line when the keys of a living process do not fit; null: they do, or nobody is there. */
  sealProblem(): string | null;
  stop(): Promise<void>;
}

interface Known {
  readonly message: AliveMessage;
  readonly at: number;
}

const EVERY_MS = 2_000;
/** Signs of life that may get lost before a process counts as gone. */
const MISSED = 4;
/** More than any house has; a flood of foreign messages takes no memory. */
const MOST_KNOWN = 1_000;
const FIRST_MS = 800;

/** Listens from now on and asks who is there. */
export async function joinPresence(options: PresenceOptions): Promise<Presence> {
  const { bus, app, id, seals, now = () => performance.now(), everyMs = EVERY_MS } = options;
  const known = new Map<string, Known>();
  const waiting = new Set<() => void>();
  let visible = false;
  let fitted = true;
  let leaving = false;
  const say = async (extra: Partial<AliveMessage> = {}): Promise<void> => {
    const hidden = !visible || leaving || options.speaks?.() === false;
    await bus.alive({ id, app, seals: [...seals], asks: false, hidden, ...extra });
  };
  const living = (): AliveMessage[] => {
    for (const [key, { at }] of known) if (now() - at > everyMs * MISSED) known.delete(key);
    return [...known.values()].map(({ message }) => message).filter((message) => message.app !== app);
  };
  const sealProblem = (): string | null => fitOf(app, seals, living());
  const end = await bus.onAlive((message) => {
    if (message.id === id) return;
    if (message.hidden) known.delete(message.id);
    else if (known.has(message.id) || known.size < MOST_KNOWN) known.set(message.id, { message, at: now() });
    if (message.asks) void say();
    if (living().length > 0) waiting.forEach((wake) => wake());
    const problem = sealProblem();
    if (problem !== null && fitted) options.onMisfit?.(problem);
    fitted = problem === null;
  });
  const timer = setInterval(() => void say(), everyMs).unref();
  await say({ asks: true });
  const heard = (ms: number): Promise<void> => (living().length > 0 ? Promise.resolve() : waitFor(waiting, ms));
  return {
    appear: () => {
      visible = true;
      void say();
    },
    leave: async () => {
      leaving = true;
      await say();
    },
    get others() {
      return living().length;
    },
    heard,
    requireWorker: async () => {
      await heard(FIRST_MS);
      if (living().length === 0) throw new NotReady('no worker takes calls');
      const opens = living().some((worker) => worker.seals.includes(seals[0] ?? ''));
      if (!opens) throw new NotReady('no worker has the key that calls are sealed with');
    },
    sealProblem,
    stop: async () => {
      clearInterval(timer);
      await end();
    },
  };
}

function waitFor(waiting: Set<() => void>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      waiting.delete(wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    waiting.add(wake);
  });
}

/** What a gateway seals with, every worker must be able to open. */
function fitOf(app: AliveMessage['app'], seals: readonly string[], others: readonly AliveMessage[]): string | null {
  const fits = (other: AliveMessage): boolean =>
    app === 'gateway' ? other.seals.includes(seals[0] ?? '') : seals.includes(other.seals[0] ?? '');
  if (others.every(fits)) return null;
  const whose = app === 'gateway' ? 'a running worker' : 'a running gateway';
  return `COUNTERSIGN_SEAL_KEY is not the one of ${whose}: give both the same; while a key is replaced, the new one in front of the old`;
}
