/**
 * Turns an ordered list, in which the first match decides, into rules of which the strictest match decides.
 * INVARIANT: no call comes out looser. Denies are always kept. An ask below an allow that it meets is left to the default (mode
 * `custom` asks about all that no rule allows), and then no allow further down that meets it is kept.
 */
import { ASKS, mapped, notMapped, type Draft } from './import-report.js';
import type { Effect } from '@countersign/contracts';
import { globHolds, globsMeet, type GlobBudget } from './globs.js';

/** One entry of an ordered list, highest first. `glob`: what it matches, at least; `exact` false: it may match less. */
export interface OrderedEntry {
  readonly effect: Effect;
  readonly glob: string;
  readonly exact: boolean;
}

/** What becomes of an entry. */
export type Settled =
  /** It becomes a rule. */
  | { readonly fate: 'kept' }
  /** It becomes a rule that also stops what an entry above it let through. */
  | { readonly fate: 'kept-stricter' }
  /** It is an ask that the default takes over. */
  | { readonly fate: 'default' }
  /** It never decided anything. */
  | { readonly fate: 'dead' }
  /** It is an allow that cannot be told apart from an ask above it. */
  | { readonly fate: 'dropped' };

/** Longer lists are not compared: all is kept, so that the strictest match decides. */
const MAX_COMPARED = 1_000;
/** Comparing of patterns, in cells, for one list. */
const BUDGET = 5_000_000;

/** The fate of each entry, in the order given. */
export function settle(entries: readonly OrderedEntry[]): Settled[] {
  if (entries.length > MAX_COMPARED) return entries.map(() => ({ fate: 'kept' }));
  const budget: GlobBudget = { cells: BUDGET };
  const allows: OrderedEntry[] = [];
  const asks: OrderedEntry[] = [];
  const defaults: OrderedEntry[] = [];
  const above: OrderedEntry[] = [];
  return entries.map((entry) => {
    const settled = settleOne(entry, { allows, asks, defaults, above, budget });
    above.push(entry);
    if (settled.fate === 'default') defaults.push(entry);
    else if (entry.effect === 'allow' && settled.fate === 'kept') allows.push(entry);
    else if (entry.effect === 'ask') asks.push(entry);
    return settled;
  });
}

interface Seen {
  readonly allows: readonly OrderedEntry[];
  readonly asks: readonly OrderedEntry[];
  readonly defaults: readonly OrderedEntry[];
  readonly above: readonly OrderedEntry[];
  readonly budget: GlobBudget;
}

function settleOne(entry: OrderedEntry, seen: Seen): Settled {
  const meets = (other: OrderedEntry): boolean => globsMeet(other.glob, entry.glob, seen.budget);
  if (seen.above.some((other) => other.exact && globHolds(other.glob, entry.glob))) return { fate: 'dead' };
  switch (entry.effect) {
    case 'deny':
      return {
        fate: seen.allows.some(meets) || [...seen.asks, ...seen.defaults].some(meets) ? 'kept-stricter' : 'kept',
      };
    case 'ask':
      return { fate: seen.allows.some(meets) ? 'default' : 'kept' };
    case 'allow':
      return { fate: seen.defaults.some(meets) ? 'dropped' : 'kept' };
    default: {
      const never: never = entry.effect;
      return never;
    }
  }
}

/** How a report names what settled an entry: `dead` and `dropped` say why it is not written. */
export interface FateWords {
  readonly where: string;
  readonly what: string;
  readonly dead: string;
  readonly dropped: string;
}

/** Reports what became of an entry; `keep` writes it where it stays, `stricter` when it is stricter than it was. */
export function writeFate(draft: Draft, { fate }: Settled, words: FateWords, keep: (stricter: boolean) => void): void {
  const { where, what } = words;
  switch (fate) {
    case 'dead':
      notMapped(draft, { where, what, why: words.dead, safe: 'nothing' });
      return;
    case 'dropped':
      notMapped(draft, { where, what, why: words.dropped, safe: ASKS });
      return;
    case 'default':
      mapped(draft, { where, what, as: ['mode custom: what no rule allows asks'] });
      return;
    case 'kept':
    case 'kept-stricter':
      keep(fate === 'kept-stricter');
      return;
    default: {
      const never: never = fate;
      return never;
    }
  }
}
