/** Patterns in which `*` stands for any text: compiled to literal pieces, matched without regular expressions in linear passes. */

/** The literal pieces between the stars; without a star exactly one piece. */
export interface Wildcard {
  readonly pieces: readonly string[];
  readonly stars: boolean;
}

/** Compiles a pattern; `\*` is a literal star and `\\` a backslash. */
export function compileWildcard(pattern: string): Wildcard {
  const pieces: string[] = [];
  let piece = '';
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern.charAt(at);
    const next = pattern.charAt(at + 1);
    if (char === '\\' && (next === '*' || next === '\\')) {
      piece += next;
      at += 1;
    } else if (char === '*') {
      pieces.push(piece);
      piece = '';
    } else {
      piece += char;
    }
  }
  pieces.push(piece);
  return { pieces, stars: pieces.length > 1 };
}

/** True when the whole text is matched. Takes the leftmost place for each piece, which is enough since stars take anything. */
export function matchesWildcard(wildcard: Wildcard, text: string): boolean {
  const { pieces } = wildcard;
  const first = pieces[0] ?? '';
  const last = pieces[pieces.length - 1] ?? '';
  if (!wildcard.stars) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  return holdsInOrder(pieces, text, first.length, text.length - last.length);
}

/** Do the inner pieces follow each other between the two places? */
function holdsInOrder(pieces: readonly string[], text: string, from: number, to: number): boolean {
  let at = from;
  for (let index = 1; index < pieces.length - 1; index += 1) {
    const piece = pieces[index] ?? '';
    const found = text.indexOf(piece, at);
    if (found < 0 || found + piece.length > to) return false;
    at = found + piece.length;
  }
  return true;
}
