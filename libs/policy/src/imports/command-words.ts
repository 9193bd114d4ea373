/** Writes literal words as the spec of a command rule. */

/** A spec, and whether it matches exactly what was meant (else more). */
export interface CommandSpec {
  readonly spec: string;
  readonly exact: boolean;
}

/** Text in which nothing is special. `*` and `\` are escaped; quotes cannot be said and become `*`. */
export function literalText(text: string): CommandSpec {
  const spec = text
    .replace(/\\/g, '\\\\')
    .replace(/\*/g, '\\*')
    .replace(/["'\p{Cc}]+/gu, '*');
  return { spec, exact: !/["'\p{Cc}]/u.test(text) };
}

/** Words of a command as a prefix: `git push *`. A word that is empty or has blanks in it cannot be told from several words. */
export function prefixSpec(words: readonly string[]): CommandSpec {
  const clean = words.every((word) => word !== '' && !/\s/u.test(word));
  const { spec, exact } = literalText(words.join(' ').replace(/\s+/gu, ' ').trim());
  return { spec: spec === '' ? '*' : `${spec} *`, exact: exact && clean };
}

/** A spec with runs of wildcards made one; a final `:*` becomes text and a wildcard, not the old way to write a prefix. */
export function closedSpec(spec: string): string {
  return spec.replace(/(?<!\\)\*{2,}/g, '*').replace(/:\*$/, ':**');
}

/** Every choice of one alternative per place; undefined when there are more than `limit`. */
export function choices(places: readonly (readonly string[])[], limit: number): string[][] | undefined {
  let out: string[][] = [[]];
  for (const place of places) {
    if (out.length * place.length > limit) return undefined;
    out = out.flatMap((head) => place.map((word) => [...head, word]));
  }
  return out;
}
