/** Which failures mean that the service behind the queue is away, read-only, full or starting, and not that a job is bad. */
import { QueueUnavailable } from './queue-errors.js';

/** Codes of Node and of Postgres (connection, operator's stop, out of resources). */
const CODES = /^(ECONN\w+|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|57P0\d|53\d{3}|08\w{3})$/;
/** What Redis answers while it cannot take writes, and what clients say of connections that are gone. */
const MESSAGES = [
  /^(READONLY|OOM|LOADING|MASTERDOWN|CLUSTERDOWN|MISCONF|NOREPLICAS|UNBLOCKED|TRYAGAIN)\b/,
  /connection is closed|connection is in closed state|stream isn't writeable|socket closed|connection ended/i,
  /(command|socket|connect\w*|query read|query) time ?d?-?out/i,
  /timeout exceeded when trying to connect|connection terminated|max retries per request|reached the max retries/i,
];

/** True when another try later may succeed without anything being changed. */
export function isAway(error: unknown): boolean {
  if (error instanceof QueueUnavailable) return true;
  if (typeof error !== 'object' || error === null) return false;
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === 'string' && CODES.test(code)) return true;
  return typeof message === 'string' && MESSAGES.some((pattern) => pattern.test(message));
}

/** A connection of Redis to a server that became a replica: only a new connection finds the new primary. */
export function isDemoted(error: Error): boolean {
  return /\b(READONLY|UNBLOCKED|MASTERDOWN)\b/.test(error.message);
}
