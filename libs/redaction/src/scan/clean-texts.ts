/**
 * Short texts that were searched and hold no secret: names, folders and reasons come again with every call. A text with a secret in it
 * is never kept.
 */

/** In characters. */
const LONGEST = 256;
/** Texts of one generation. */
const MOST = 4_096;

let young = new Set<string>();
let old: ReadonlySet<string> = young;

/** True: this very text was searched before. */
export function isKnownClean(text: string): boolean {
  if (text.length > LONGEST) return false;
  if (young.has(text)) return true;
  if (!old.has(text)) return false;
  rememberClean(text);
  return true;
}

/** What was not asked for during two generations is forgotten. */
export function rememberClean(text: string): void {
  if (text.length > LONGEST) return;
  young.add(text);
  if (young.size < MOST) return;
  old = young;
  young = new Set();
}
