/** Which failures of a round say something about the database and nothing about the calls. */
import { toDoorError } from '@countersign/server';

/** Deadlock, serialization failure, a lock or an answer that did not come in time, a transaction that was cut off. */
const BUSY = new Set(['40001', '40P01', '55P03', '57014', '25P03', '25P04']);
const NO_ANSWER = /query read timeout|statement timeout|lock timeout/i;

export function isOutage(error: unknown): boolean {
  const { code, message } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  if (typeof code === 'string' && BUSY.has(code)) return true;
  if (typeof message === 'string' && NO_ANSWER.test(message)) return true;
  const told = toDoorError(error).code;
  return told === 'unavailable' || told === 'overloaded';
}
