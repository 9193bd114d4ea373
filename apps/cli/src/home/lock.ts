/** The lock of one home folder: one `up` at a time; a lock whose process is gone is taken over. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { processIsAlive } from '@countersign/ledger';
import { writePrivateFile } from './private-file.js';

/** A lock that we hold. `leaving` tells whoever wants it that it is worth waiting. */
export interface Lock {
  leaving(): Promise<void>;
  release(): Promise<void>;
}

export type LockResult = { ok: true; lock: Lock } | { ok: false; holder: number };

/** Who holds a lock. `started` tells a process from a later one with the same id; null where the system does not say. */
interface Holder {
  readonly pid: number;
  readonly started: string | null;
  readonly leaving: boolean;
}

/** How long a holder is given to say that it leaves, and then to be gone; it ends within five seconds. */
const SAYS_SO_MS = 700;
const GONE_MS = 8_000;
const LOOK_MS = 100;

/** Takes the lock file for this process, waits for a holder that is leaving, or names the living process that holds it. */
export async function takeLock(path: string): Promise<LockResult> {
  const begun = performance.now();
  for (;;) {
    const taken = await tryLock(path);
    if (taken.ok) return taken;
    const waited = performance.now() - begun;
    const holder = await readHolder(path);
    if (waited > (holder?.leaving === false ? SAYS_SO_MS : GONE_MS)) return taken;
    await sleep(LOOK_MS);
  }
}

async function tryLock(path: string): Promise<LockResult> {
  const self: Holder = { pid: process.pid, started: processStart(process.pid), leaving: false };
  for (let attempt = 0; attempt < 5; attempt += 1) {
    if (await createLock(path, self)) return { ok: true, lock: lockOf(path, self) };
    const holder = await readHolder(path);
    if (holder !== null && holds(holder)) return { ok: false, holder: holder.pid };
    await removeStale(path, self);
  }
  return { ok: false, holder: (await readHolder(path))?.pid ?? 0 };
}

function lockOf(path: string, self: Holder): Lock {
  return {
    leaving: () => writePrivateFile(path, JSON.stringify({ ...self, leaving: true })),
    release: () => releaseLock(path, self),
  };
}

/** The file appears with its content: an empty one would look stale to another starter. */
async function createLock(path: string, self: Holder): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify(self), { flag: 'wx', mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Removes a lock that nobody holds. INVARIANT: only whoever has the turn removes it, and nobody replaces a lock that is there, so what
 * was judged stale is what is removed; it does not hold after a starter died in its turn, where of two that find the dead turn the
 * slower may remove the faster's fresh one, so that both have it.
 */
async function removeStale(path: string, self: Holder): Promise<void> {
  const turn = `${path}.turn`;
  if (!(await createLock(turn, self))) {
    const other = await readHolder(turn);
    if (other === null || !holds(other)) await rm(turn, { force: true });
    return;
  }
  try {
    // Where there is none now, whatever comes is fresh.
    const text = await readFile(path, 'utf8').catch(() => null);
    const holder = text === null ? null : holderIn(text);
    if (text !== null && (holder === null || !holds(holder))) await rm(path, { force: true });
  } finally {
    await rm(turn, { force: true });
  }
}

async function readHolder(path: string): Promise<Holder | null> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return holderIn(text);
}

/** Null for what names no process. */
function holderIn(text: string): Holder | null {
  try {
    const found = JSON.parse(text) as Partial<Holder>;
    if (typeof found.pid !== 'number' || found.pid <= 0) return null;
    const started = typeof found.started === 'string' ? found.started : null;
    return { pid: found.pid, started, leaving: found.leaving === true };
  } catch {
    return null;
  }
}

async function releaseLock(path: string, self: Holder): Promise<void> {
  const holder = await readHolder(path);
  if (holder?.pid === self.pid && holder.started === self.started) await rm(path, { force: true });
}

function holds(holder: Holder): boolean {
  if (!processIsAlive(holder.pid)) return false;
  const started = processStart(holder.pid);
  return holder.started === null || started === null || holder.started === started;
}

/** When a process started, as Linux tells it; null elsewhere. */
function processStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold blanks: fields are counted from its end; the start time is the 20th after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
