/** Keeps a log from being flooded: of lines alike only some are written in each span of time, the rest is counted. */

export interface LineLimit {
  /** Whether a line of this kind may be written now; `leftOut`: how many before it were not. Null: leave it out. */
  take(kind: string, now: number): { readonly leftOut: number } | null;
}

export interface LineLimitOptions {
  readonly lines: number;
  readonly spanMs: number;
  /** Told of each line that is left out. */
  readonly onLeftOut?: () => void;
}

/** Kinds that are told apart at once; all others share one budget. */
const MOST_KINDS = 200;
const THE_REST = '\0';

/** `lines` of each kind in each span of `spanMs` milliseconds. */
export function createLineLimit({ lines, spanMs, onLeftOut }: LineLimitOptions): LineLimit {
  const kinds = new Map<string, { since: number; written: number; leftOut: number }>();
  return {
    take: (kind, now) => {
      const key = kinds.has(kind) || kinds.size < MOST_KINDS ? kind : THE_REST;
      const entry = kinds.get(key) ?? { since: now, written: 0, leftOut: 0 };
      kinds.set(key, entry);
      if (now - entry.since >= spanMs) Object.assign(entry, { since: now, written: 0 });
      if (entry.written >= lines) {
        entry.leftOut += 1;
        onLeftOut?.();
        return null;
      }
      const { leftOut } = entry;
      Object.assign(entry, { written: entry.written + 1, leftOut: 0 });
      return { leftOut };
    },
  };
}
