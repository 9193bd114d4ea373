/** What of an output is shown: cut by code point, never in the middle of a character. */

/** The first `limit` code points of a text. */
export function headOf(text: string, limit: number): string {
  // No text has more code points than code units.
  if (text.length <= limit) return text;
  let end = 0;
  for (let count = 0; count < limit && end < text.length; count += 1) end += isPair(text, end) ? 2 : 1;
  return text.slice(0, end);
}

/** How many code points a text has. */
export function lengthOf(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += isPair(text, at) ? 2 : 1) count += 1;
  return count;
}

/** `limit` code points from the one at `offset`; `next` is the offset behind them, null at the end. */
export function pageOf(text: string, offset: number, limit: number): { text: string; next: number | null } {
  const before = headOf(text, offset).length;
  const page = headOf(text.slice(before), limit);
  return { text: page, next: before + page.length < text.length ? offset + lengthOf(page) : null };
}

/** Stands at the end of a shortened output and names the door where the rest is; its own length counts in the limit. */
export function shortened(text: string, limit: number, rest: { callId: string; total: number; kept: number }): string {
  const stub = stubOf(rest);
  const room = Math.max(0, limit - lengthOf(stub));
  return `${headOf(text, room)}${headOf(stub, limit)}`;
}

function stubOf({ callId, total, kept }: { callId: string; total: number; kept: number }): string {
  const lost = kept < total ? `, of which only the first ${kept} are kept and the rest is lost` : '';
  return `\n[shortened: ${total} characters (code points) in all${lost}; read on at GET /v1/tool-calls/${callId}/output?offset=N]`;
}

function isPair(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  const next = text.charCodeAt(at + 1);
  return code >= 0xd800 && code <= 0xdbff && next >= 0xdc00 && next <= 0xdfff;
}
