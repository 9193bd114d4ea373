/** The parts of a text that a rule looks at: around its keywords, joined where they meet. */

/** From `start` up to, not including, `end`. */
export interface Window {
  readonly start: number;
  readonly end: number;
}

/** How far a window follows an unbroken run of characters beyond its end, so that a long token is seen whole. */
const RUN_ON = 8_192;
const UNBROKEN = /[A-Za-z0-9+/=_.~%-]*/y;

/** `places` ascending: index of a keyword's last character. */
export function windowsAround(
  text: string,
  places: readonly number[],
  reach: { before: number; after: number },
): Window[] {
  const windows: { start: number; end: number }[] = [];
  for (const place of places) {
    const last = windows.at(-1);
    const start = Math.max(0, place - reach.before);
    const end = Math.min(text.length, place + 1 + reach.after);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else windows.push({ start, end });
  }
  return windows.map(({ start, end }) => ({ start, end: runOn(text, end) }));
}

function runOn(text: string, from: number): number {
  if (from >= text.length) return text.length;
  UNBROKEN.lastIndex = 0;
  const run = UNBROKEN.exec(text.slice(from, from + RUN_ON));
  return from + (run?.[0].length ?? 0);
}
