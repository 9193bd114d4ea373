/** What one rule of ours is made of. */

/** One place that a rule found. `name`: what the value is called there (an option, a variable, a header); empty: nothing. */
export interface Candidate {
  readonly name: string;
  readonly value: string;
}

/**
 * A rule. It is tried only around its keywords (lower case; at least one stands in every text that it matches), `before` and
 * `after` characters of them: that bounds its work whatever the text. The group `v` of the pattern is the secret, the group `n` its
 * name; without `v` the whole match is. `accept` says whether what was found is a secret after all.
 */
export interface SecretRule {
  readonly kind: string;
  readonly keywords: readonly string[];
  readonly pattern: string;
  readonly flags: '' | 'i' | 'm' | 'im';
  /** One of these characters stands in every text that it matches; empty: none has to. */
  readonly needs: string;
  readonly before: number;
  readonly after: number;
  readonly accept: (found: Candidate) => boolean;
}

/** One word of a shell command, quotes and all. No two of its parts begin alike, so it is read in one pass. */
export const WORD = String.raw`(?<v>(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\|;&<>()` + '`' + String.raw`])+)`;

const DEFAULTS = { before: 64, after: 512, flags: '', needs: '' } as const;

/** A rule with the usual reach, that takes everything it matches. */
export function rule(given: Pick<SecretRule, 'kind' | 'keywords' | 'pattern'> & Partial<SecretRule>): SecretRule {
  return { ...DEFAULTS, accept: () => true, ...given };
}
