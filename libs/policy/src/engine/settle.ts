/** Chooses the winner among all matches by the preset's precedence table. */
import type { Match, Risk, Verdict } from '@countersign/contracts';
import type { PrecedenceRow } from '../policy/preset.js';
import { liftTest } from './grants.js';
import { addMatch, type Judgement } from './judgement.js';

/** The verdict of a finished judgement. With no match at all, it asks. */
export function settle(judgement: Judgement): Verdict {
  const first = strongest(judgement);
  if (first?.effect === 'ask' || first === null) refuseQuestions(judgement);
  const winner = strongest(judgement) ?? NOTHING_SPOKE;
  const matches = judgement.matches.length === 0 ? [NOTHING_SPOKE] : judgement.matches;
  const { effect, ruleId, reason, layer } = winner;
  return { effect, ruleId, reason, layer, risk: riskOf(judgement, winner), mode: judgement.mode, matches };
}

const NOTHING_SPOKE: Match = {
  layer: 'default',
  effect: 'ask',
  ruleId: 'default.ask',
  reason: 'nothing speaks for this call',
  source: null,
  pattern: null,
  subject: null,
  level: null,
};

/** In a mode or a session where nobody may be asked, a question is a refusal. */
function refuseQuestions(judgement: Judgement): void {
  const { mode, modeEntry, facts } = judgement;
  if (modeEntry.finalAsk === 'deny') {
    addMatch(judgement, {
      layer: 'mode',
      effect: 'deny',
      ruleId: `mode.${mode}`,
      reason: `mode \`${mode}\` refuses what it would have to ask about`,
    });
  } else if (facts.session.silent) {
    addMatch(judgement, {
      layer: 'mode',
      effect: 'deny',
      ruleId: 'session.silent',
      reason: 'the session is silent: nobody may be asked',
    });
  }
}

function strongest(judgement: Judgement): Match | null {
  const table = judgement.policy.preset.precedence;
  const isLifted = liftTest(judgement);
  let winner: Match | null = null;
  let best = Number.POSITIVE_INFINITY;
  for (const match of judgement.matches) {
    const rank = rankOf(match, table);
    if (rank < best && !isLifted(match)) {
      winner = match;
      best = rank;
    }
  }
  return winner;
}

/** Place in the table. A match that no row names is a mistake of the preset: denies and asks then come first, allows never win. */
function rankOf(match: Match, table: readonly PrecedenceRow[]): number {
  const rank = table.findIndex((row) => fits(match, row));
  if (rank >= 0) return rank;
  return match.effect === 'allow' ? Number.POSITIVE_INFINITY : -1;
}

function fits(match: Match, row: PrecedenceRow): boolean {
  if (row.effect !== match.effect || row.layer !== match.layer) return false;
  return row.sources === undefined || (match.source !== null && row.sources.includes(match.source));
}

const GRAVE = /^(?:command\.|path\.(?:protected|secret|control|outside_roots)|shell\.|content\.)/;

/** How much is at stake: what was found, then what kind of tool it is. */
function riskOf(judgement: Judgement, winner: Match): Risk {
  const grave = judgement.matches.some((match) => match.effect !== 'allow' && GRAVE.test(match.ruleId));
  if (grave) return 'high';
  const { kind, harmless } = judgement.analysis.entry;
  const reads = kind === 'read' || kind === 'interaction' || harmless === true || winner.ruleId === 'command.read_only';
  return reads && winner.effect === 'allow' ? 'low' : 'medium';
}
