/** Cursors of keyset pages: opaque to callers, so that only we decide what orders a page. */
import { DoorError } from '@countersign/contracts';

export interface Page<T> {
  readonly items: T[];
  /** The cursor of the next page; null at the end. */
  readonly next: string | null;
}

export const DEFAULT_PAGE = 50;

export function encodeCursor(parts: readonly string[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** The parts of a cursor that one of our pages gave; throws `request.invalid` for anything else. */
export function decodeCursor(cursor: string, count: number): string[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(parts) && parts.length === count && parts.every((part) => typeof part === 'string')) return parts;
  } catch {
    // Not JSON: not one of ours.
  }
  throw new DoorError('request.invalid', 'the cursor is not one that a page of this list gave');
}

/** Cuts the one row too many that tells whether there is a next page. */
export function pageOf<R, T>(
  rows: readonly R[],
  limit: number,
  show: (row: R) => T,
  key: (row: R) => string[],
): Page<T> {
  const kept = rows.slice(0, limit);
  const last = kept.at(-1);
  return { items: kept.map(show), next: rows.length > limit && last !== undefined ? encodeCursor(key(last)) : null };
}
