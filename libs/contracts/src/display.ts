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
    return escaped(character);
  });
}

/** Letters of other scripts that most fonts draw like a Latin letter. */
const TWINS = /[аеорсухіјѕԁԛԝһӏАВЕЗІЈКМНОРСТУХЅԌԚԜΑΒΕΖΗΙΚΜΝΟΡΤΥΧοѵνρ]/u;
const WORD = /[\p{L}\p{N}\p{M}_]+/gu;
const LATIN = /\p{Script=Latin}/u;
/** Scripts with letters that can pass for Latin ones. */
const PASSES_FOR_LATIN =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Lisu}\p{Script=Coptic}]/u;
/** Wide, bold, circled and other dressed-up forms, signs that are drawn like ASCII ones, and marks that overprint a letter. */
const DRESSED =
  /[\u02b9-\u02bf\u02c6-\u02cf\u0338\u037e\u2010-\u2015\u2018-\u201f\u2024\u2032-\u2036\u2039-\u203a\u2043\u2044\u204e\u204f\u2052\u2053\u2100-\u214f\u2212\u2215\u2216\u2217\u2223\u2236\u223c\u2460-\u24ff\u2571\u2572\u27cb\u27cd\u29f5-\u29f9\ua789\ufe50-\ufe6f\uff01-\uff5e]|[\u{1d400}-\u{1d7ff}\u{1f100}-\u{1f18f}]/gu;

/**
 * `escapeForDisplay`, and look-alikes too: a letter that stands for a Latin one inside a Latin word or makes up a whole word of
 * an otherwise Latin text, and dressed-up forms of ASCII characters. Text that is plainly Cyrillic or Greek stays readable.
 */
export function showPlainly(text: string, options: { keepLines?: boolean } = {}): string {
  const dressed = escapeForDisplay(text, options).replace(DRESSED, escaped);
  const foreign = isForeignText(dressed);
  return dressed.replace(WORD, (word) => {
    if (!PASSES_FOR_LATIN.test(word)) return word;
    if (LATIN.test(word)) return escapeEach(word, PASSES_FOR_LATIN);
    return foreign ? word : escapeEach(word, TWINS);
  });
}

/** True when the text has letters that nobody takes for Latin ones, so that its words are what they seem. */
function isForeignText(text: string): boolean {
  for (const character of text) if (PASSES_FOR_LATIN.test(character) && !TWINS.test(character)) return true;
  return false;
}

function escapeEach(word: string, which: RegExp): string {
  return Array.from(word, (character) => (which.test(character) ? escaped(character) : character)).join('');
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** True when `escapeForDisplay` would change the text (line breaks and tabs left aside). */
export function hasInvisible(text: string): boolean {
  return escapeForDisplay(text, { keepLines: true }) !== text;
}
