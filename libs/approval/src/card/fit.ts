/** Cuts a long text so that its head and its tail stay readable: what is dangerous often stands at the end. */

/** `whole` false: characters were left out, and nobody may approve by what is shown. */
export interface FittedText {
  readonly text: string;
  readonly whole: boolean;
}

/** Below this a cut text would say nothing. */
const LEAST = 120;
/** The share of what is shown that is taken from the head. */
const HEAD_SHARE = 0.6;

/** The text in at most `max` UTF-16 units (at least 120), cut between code points, with the number of characters left out. */
export function fitText(text: string, max: number): FittedText {
  const limit = Math.max(LEAST, max);
  if (text.length <= limit) return { text, whole: true };
  // The longest notice there can be, so that the result never runs over.
  const room = limit - notice(text.length).length;
  const head = Math.floor(room * HEAD_SHARE);
  const tail = room - head;
  const start = safeEnd(text, head);
  const end = safeStart(text, text.length - tail);
  return { text: `${text.slice(0, start)}${notice(end - start)}${text.slice(end)}`, whole: false };
}

function notice(characters: number): string {
  return `\n… ${characters} characters are not shown …\n`;
}

/** Not after the first half of a pair. */
function safeEnd(text: string, at: number): number {
  return isHighSurrogate(text, at - 1) ? at - 1 : at;
}

/** Not before the second half of a pair. */
function safeStart(text: string, at: number): number {
  return isHighSurrogate(text, at - 1) ? at + 1 : at;
}

function isHighSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit <= 0xdbff;
}
