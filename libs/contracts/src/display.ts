/** Makes text of agents safe to show: nothing in it can hide, reorder or fake what surrounds it. */

/** Controls, formats (bidirectional, zero-width, tags), fillers, lone surrogates, private use and every space but U+0020. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/**
 * The text with every invisible or reordering character written as `\u{hex}`. Line breaks and tabs are escaped too unless
 * `keepLines` is set.
 */
export function escapeForDisplay(text: string, options: { keepLines?: boolean } = {}): string {
  return text.replace(INVISIBLE, (character) => {
    if (options.keepLines && (character === '\n' || character === '\t')) return character;
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/** True when `escapeForDisplay` would change the text (line breaks and tabs left aside). */
export function hasInvisible(text: string): boolean {
  return escapeForDisplay(text, { keepLines: true }) !== text;
}
