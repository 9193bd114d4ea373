/** Bounds how much one call may write into a file. */
import type { ToolEntry } from './manifest.js';
import type { NamedThings } from './read-arguments.js';

/** Why the call would write too much, or null. `limit` (bytes of UTF-8) is the policy's; the smaller of it and the tool's own holds. */
export function fileSizeProblem(entry: ToolEntry, named: NamedThings, limit: number | null): string | null {
  const bounds = [entry.maxFileSize, limit].filter((one) => one !== null && one !== undefined);
  if (bounds.length === 0) return null;
  const bound = Math.min(...bounds);
  // Written so that NaN is over every bound.
  if (named.largestContent <= bound) return null;
  return `would write ${String(named.largestContent)} bytes into one file, more than ${String(bound)}`;
}
