/** Arguments of a call as people read them: one text per argument, plain to see. */
import { showPlainly } from '@countersign/contracts';

/** One argument; `name` is null when the arguments are not an object that could be read. */
export interface ShownArgument {
  readonly name: string | null;
  readonly text: string;
}

/** A run of spaces this long could push what follows out of sight. */
const LONG_GAP = / {16,}/g;

/** From the escaped canonical JSON of an ask's view: every argument under its own name, line breaks kept, everything plain to see. */
export function shownArguments(json: string): readonly ShownArgument[] {
  const value = readObject(json);
  if (value === null) return [{ name: null, text: plain(json) }];
  const entries = Object.entries(value);
  if (entries.length === 0) return [{ name: null, text: '{}' }];
  return entries.map(([name, item]) => ({
    name: showPlainly(name),
    text: plain(typeof item === 'string' ? item : JSON.stringify(item, null, 2)),
  }));
}

/** `showPlainly` with line breaks kept and long runs of spaces counted instead of shown. */
export function plain(text: string): string {
  return showPlainly(text, { keepLines: true }).replace(LONG_GAP, (gap) => ` \\u{20}×${gap.length} `);
}

function readObject(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(restored(json));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** Hidden characters stand as `\u{…}` in an escaped JSON text; they become JSON escapes again, to be read. */
function restored(json: string): string {
  return json.replace(/\\(?:u\{([0-9a-f]+)\}|[^])/g, (all, hex: string | undefined) =>
    hex === undefined ? all : JSON.stringify(String.fromCodePoint(parseInt(hex, 16))).slice(1, -1),
  );
}
