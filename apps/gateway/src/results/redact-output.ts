/** Takes the secrets out of an output that may be long, piece by piece, so that nobody waits for it. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Redactor } from '@countersign/redaction';

/** Characters that are searched and kept; what lies beyond is shown to nobody. */
export const MAX_SEARCHED = 1024 * 1024;
const PIECE = 128 * 1024;

/** The redacted text of the first MAX_SEARCHED characters. */
export async function redactOutput(output: string, redactor: Redactor): Promise<string> {
  const text = output.slice(0, MAX_SEARCHED);
  if (text.length <= PIECE) return redactor.text(text);
  const pieces: string[] = [];
  for (let from = 0; from < text.length;) {
    const to = endOfPiece(text, from);
    pieces.push(redactor.text(text.slice(from, to)));
    from = to;
    await turn();
  }
  return pieces.join('');
}

const KEY_BEGINS = '-----BEGIN';
const KEY_ENDS = '-----END';

/** At the end of a line, and never inside of a key that lies over several. */
function endOfPiece(text: string, from: number): number {
  const most = from + PIECE;
  if (most >= text.length) return text.length;
  const begins = text.lastIndexOf(KEY_BEGINS, most);
  if (begins > from && text.lastIndexOf(KEY_ENDS, most) < begins) return begins;
  const line = text.lastIndexOf('\n', most);
  return line > from ? line + 1 : most;
}
