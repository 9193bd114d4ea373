/** Ids that sort by the time at which they were made, so that an index takes them at its end instead of all over. */
import { randomUUID } from 'node:crypto';

/** A UUID of version 7 (RFC 9562): 48 bits of Unix time in milliseconds, then 74 random bits. */
export function timeOrderedId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  // Version 4 has the same form but for the time and the version's own digit.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
