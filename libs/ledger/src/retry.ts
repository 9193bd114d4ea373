/** Which database failures are worth another try, and the pause before it. */
import { setTimeout as pause } from 'node:timers/promises';

/** Serialization failure, deadlock, and a lock that was not given in time. */
const TRANSIENT = new Set(['40001', '40P01', '55P03']);
/** Prisma's own code for a write conflict or a deadlock; its other codes (P1000 and up) are no SQLSTATE. */
const PRISMA_CONFLICT = 'P2034';
const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 5;
/** A lock that is not given costs seconds an attempt; nobody waits for five of them. */
const RETRY_WITHIN_MS = 6_000;

/**
 * The SQLSTATE of a failure, wherever a wrapper keeps it: `code` of the driver, `meta.code` or `cause` of Prisma; for a
 * message alone the five characters in it.
 */
export function sqlState(error: unknown): string | undefined {
  for (let current: unknown = error, depth = 0; isObject(current) && depth < 5; depth += 1) {
    const state = stateOf(current);
    if (state) return state;
    current = current['cause'];
  }
  return undefined;
}

type Fields = Record<string, unknown>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function stateOf(error: Fields): string | undefined {
  const meta = isObject(error['meta']) ? error['meta'] : {};
  const candidates = [error['code'], error['originalCode'], meta['code'], meta['originalCode']];
  const codes = candidates.filter((code): code is string => typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code));
  if (codes.includes(PRISMA_CONFLICT)) return '40001';
  const state = codes.find((code) => !/^P[1-9]/.test(code));
  if (state) return state;
  const text = typeof error['message'] === 'string' ? error['message'] : '';
  return /deadlock detected/.test(text) ? '40P01' : /could not serialize access/.test(text) ? '40001' : undefined;
}

/** Is the failure one that another try may mend? */
export function isTransient(error: unknown): boolean {
  return TRANSIENT.has(sqlState(error) ?? '');
}

/**
 * Runs `work`; on a transient failure again, up to five times in all, after a random and growing pause. No attempt begins
 * later than six seconds after the first.
 */
export async function retrying<T>(work: () => Promise<T>): Promise<T> {
  const since = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const late = performance.now() - since > RETRY_WITHIN_MS;
      if (attempt === ATTEMPTS || late || !isTransient(error)) throw error;
      await pause(FIRST_PAUSE_MS * 2 ** attempt * (0.5 + Math.random()));
    }
  }
}
