/** Ranks matches by the preset's precedence table. */
import type { Match } from '@countersign/contracts';
import type { PrecedenceRow } from '../policy/preset.js';
import { parseRuleText } from '../rules/parse-rule.js';
import { liftTest } from './grants.js';
import type { Judgement } from './judgement.js';

/** The match that settles the call: the highest row, among equals the first source in order, then the first to speak. */
export function strongest(judgement: Judgement): Match | null {
  const { precedence, sourceOrder } = judgement.policy.preset;
  const isLifted = liftTest(judgement);
  let winner: Match | null = null;
  let best = Number.POSITIVE_INFINITY;
  for (const match of judgement.matches) {
    const rank = rankOf(match, precedence);
    const wins = rank < best || (rank === best && winner !== null && namedBefore(match, winner, sourceOrder));
    if (wins && !isLifted(match)) {
      winner = match;
      best = rank;
    }
  }
  return winner;
}

/** Place in the table. A match that no row names is a mistake of the preset: denies and asks then come first, allows never win. */
function rankOf(match: Match, table: readonly PrecedenceRow[]): number {
  for (let rank = 0; rank < table.length; rank += 1) {
    const row = table[rank];
    if (row !== undefined && fits(match, row)) return rank;
  }
  return match.effect === 'allow' ? Number.POSITIVE_INFINITY : -1;
}

function namedBefore(match: Match, other: Match, order: readonly NonNullable<Match['source']>[]): boolean {
  if (match.source === null || other.source === null) return false;
  return order.indexOf(match.source) < order.indexOf(other.source);
}

function fits(match: Match, row: PrecedenceRow): boolean {
  if (row.effect !== match.effect || row.layer !== match.layer) return false;
  if (row.sources?.includes(match.source) === false) return false;
  if (row.ruleIds?.includes(match.ruleId) === false) return false;
  return row.breadth === undefined || row.breadth === breadthOf(match);
}

/** Null for what is no rule. */
function breadthOf(match: Match): 'tool' | 'content' | null {
  if (match.pattern === null) return null;
  return parseRuleText(match.pattern)?.spec === null ? 'tool' : 'content';
}

/** The match with the name of its level in the preset's table, where it has one. */
export function withLevel(match: Match, table: readonly PrecedenceRow[]): Match {
  const level = table.find((row) => fits(match, row))?.level;
  return level === undefined ? match : { ...match, level };
}
