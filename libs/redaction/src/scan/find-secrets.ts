/** Where the secrets of a text are. */
import { COMMAND_RULES } from '../rules/commands.js';
import { keptRules } from '../rules/kept.js';
import { NAMED_RULES } from '../rules/named.js';
import type { SecretRule } from '../rules/rule.js';
import { TOKEN_RULES } from '../rules/tokens.js';
import { isMarker, MARKER, unquoted } from '../rules/values.js';
import { isKnownClean, rememberClean } from './clean-texts.js';
import { keywordFinder } from './keywords.js';
import { windowsAround, type Window } from './windows.js';

/** One secret: its characters from `start` up to, not including, `end`, and the kind of the rule that found it. */
export interface Span {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** How many characters may still be looked at. */
interface Budget {
  left: number;
}

/** Finds spans inside one window of a text. */
interface Finder {
  readonly before: number;
  readonly after: number;
  readonly find: (text: string, window: Window, budget: Budget) => Span[];
}

const OWN: readonly SecretRule[] = [...TOKEN_RULES, ...NAMED_RULES, ...COMMAND_RULES];

const FINDERS: readonly { readonly keywords: readonly string[]; readonly finder: Finder }[] = [
  ...OWN.map((rule) => ({ keywords: rule.keywords, finder: ownFinder(rule) })),
  ...keptRules().map(({ keywords, before, after, find }) => ({ keywords, finder: { before, after, find } })),
];

const WORDS: readonly string[] = [...new Set(FINDERS.flatMap(({ keywords }) => keywords))];
/** By keyword: the numbers of the finders that it wakes. */
const WAKES: readonly (readonly number[])[] = WORDS.map((word) =>
  FINDERS.flatMap(({ keywords }, index) => (keywords.includes(word) ? [index] : [])),
);
const findKeywords = keywordFinder(WORDS);

/**
 * Most characters that all rules together look at in one text, as a multiple of its length and at least this many. A text that
 * wakes more is not searched to its end: all of it counts as one secret.
 */
const BUDGET_PER_CHARACTER = 12;
const LEAST_BUDGET = 400_000;
/** What a rule finds is read again to see whether it is a secret. */
const READS_OF_A_MATCH = 4;

/** All secrets of a text in order, never overlapping. INVARIANT: text that cannot be searched within bounds is one secret. */
export function findSecrets(text: string): Span[] {
  if (text.length < 6 || isKnownClean(text)) return [];
  const spans = searchAll(text);
  if (spans.length === 0) rememberClean(text);
  return spans;
}

function searchAll(text: string): Span[] {
  const places = wokenBy(text);
  if (places.size === 0) return [];
  const budget: Budget = { left: Math.max(LEAST_BUDGET, text.length * BUDGET_PER_CHARACTER) };
  const spans: Span[] = [];
  for (const [index, ends] of places) {
    const finder = FINDERS[index]?.finder;
    if (finder === undefined) continue;
    for (const window of windowsAround(text, ends, finder)) {
      budget.left -= window.end - window.start;
      spans.push(...finder.find(text, window, budget));
      if (budget.left < 0) return [{ kind: 'unsearchable', start: 0, end: text.length }];
    }
  }
  return settle(text, spans);
}

function wokenBy(text: string): Map<number, number[]> {
  const places = new Map<number, number[]>();
  findKeywords(text, (keyword, end) => {
    for (const index of WAKES[keyword] ?? []) {
      const ends = places.get(index);
      if (ends === undefined) places.set(index, [end]);
      else ends.push(end);
    }
  });
  return places;
}

function ownFinder(rule: SecretRule): Finder {
  const pattern = new RegExp(rule.pattern, `gd${rule.flags}`);
  return {
    before: rule.before,
    after: rule.after,
    find: (text, { start, end }, budget) => {
      const spans: Span[] = [];
      const part = text.slice(start, end);
      if (!hasOneOf(part, rule.needs)) return spans;
      pattern.lastIndex = 0;
      for (let match = pattern.exec(part); match !== null && budget.left >= 0; match = pattern.exec(part)) {
        budget.left -= match[0].length * READS_OF_A_MATCH;
        const found = foundIn(match);
        const span = spanOf(rule, found, start);
        if (span !== null) spans.push(span);
        // A word that was only a name or no secret may be the beginning of the next match.
        pattern.lastIndex = nextStart(match, found, span === null);
      }
      return spans;
    },
  };
}

function hasOneOf(text: string, characters: string): boolean {
  return characters === '' || [...characters].some((character) => text.includes(character));
}

/** What a match is about: where its value and its name stand in the text that was searched. */
interface Found {
  readonly value: string;
  readonly at: readonly [number, number];
  readonly name: string;
  /** Where the name ends; null: there is none. */
  readonly nameEnd: number | null;
}

function foundIn(match: RegExpExecArray): Found {
  const { groups = {}, indices } = match;
  const places = indices?.groups ?? {};
  const whole: [number, number] = [match.index, match.index + match[0].length];
  const { v, n } = groups;
  return { value: v ?? match[0], at: places['v'] ?? whole, name: n ?? '', nameEnd: places['n']?.[1] ?? null };
}

/** After something refused the search goes on right behind its name, else at its value; otherwise behind the secret. */
function nextStart(match: RegExpExecArray, { at, nameEnd }: Found, refused: boolean): number {
  const refusedEnd = nameEnd ?? at[0];
  return Math.max(match.index + 1, refused ? refusedEnd : at[1]);
}

function spanOf(rule: SecretRule, { value, at, name }: Found, offset: number): Span | null {
  if (value === '' || isMarker(value) || !rule.accept({ name, value })) return null;
  const inner = unquoted(value);
  const start = offset + at[0] + (inner === value ? 0 : 1);
  return { kind: rule.kind, start, end: start + inner.length };
}

/** Joins what overlaps, leaves what was redacted before alone; of two kinds the one that was found by the longer text speaks. */
function settle(text: string, spans: readonly Span[]): Span[] {
  const done = [...text.matchAll(MARKER)].map((match) => ({ start: match.index, end: match.index + match[0].length }));
  const ordered = spans
    .flatMap((span) => without(trimmed(text, span), done))
    .filter(({ start, end }) => end > start)
    .sort((one, other) => one.start - other.start || other.end - one.end);
  const settled: { kind: string; start: number; end: number }[] = [];
  for (const span of ordered) {
    const last = settled.at(-1);
    if (last === undefined || span.start >= last.end) settled.push({ ...span });
    else if (span.end > last.end) last.end = span.end;
  }
  return settled;
}

function trimmed(text: string, { kind, start, end }: Span): Span {
  let [from, to] = [start, end];
  while (from < to && /\s/.test(text[from] ?? '')) from += 1;
  while (to > from && /\s/.test(text[to - 1] ?? '')) to -= 1;
  return { kind, start: from, end: to };
}

/** The parts of a span that lie outside of markers. */
function without(span: Span, done: readonly Window[]): Span[] {
  let parts = [span];
  for (const marker of done) {
    parts = parts.flatMap((part) => {
      if (marker.end <= part.start || marker.start >= part.end) return [part];
      const left = { ...part, end: Math.max(part.start, marker.start) };
      const right = { ...part, start: Math.min(part.end, marker.end) };
      return [left, right].filter(({ start, end }) => end - start >= 4);
    });
  }
  return parts;
}
