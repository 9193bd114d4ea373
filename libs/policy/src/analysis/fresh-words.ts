/** Words that stand in no rule: whatever matches them was meant to match anything. */

/** Gives the word of that number. */
export type FreshWords = (number: number) => string;

/** Words in lower case that occur in none of the texts, whatever the case. */
export function freshWords(texts: readonly string[]): FreshWords {
  const all = texts.join('\n').toLowerCase();
  let stem = 'sample';
  while (all.includes(stem)) stem += 'x';
  return (number) => `${stem}${String(number)}`;
}
