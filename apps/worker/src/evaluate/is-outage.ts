/** Which failures of a round say something about the database and nothing about the calls. */
import { toDoorError } from '@countersign/server';

/** A transaction that was cut off. What else is busy or away, the doors know as well. */
const CUT_OFF = ['25P02', '25P03', '25P04'];
/** A server that is no primary (any more, or yet), or does not know this role, its rights, its database or what it prepared. */
const NOT_READY = ['25006', '26000', '28000', '28P01', '3D000', '42501'];
const OUTAGES = new Set([...CUT_OFF, ...NOT_READY]);
const NO_ANSWER = /query read timeout|statement timeout|lock timeout/i;

export function isOutage(error: unknown): boolean {
  const { code, message } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  if (typeof code === 'string' && OUTAGES.has(code)) return true;
  if (typeof message === 'string' && NO_ANSWER.test(message)) return true;
  const told = toDoorError(error).code;
  return told === 'unavailable' || told === 'overloaded';
}
