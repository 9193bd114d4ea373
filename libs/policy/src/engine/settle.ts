/** Chooses the winner among all matches by the preset's precedence table. */
import type { Match, Risk, Verdict } from '@countersign/contracts';
import { answerByHook } from './hook-answer.js';
import { addMatch, type Judgement } from './judgement.js';
import { refuseUnfit } from './layers/request.js';
import { answerByMode } from './mode-answer.js';
import { strongest, withLevel } from './rank.js';

/** The verdict of a finished judgement. With no match at all, it asks. */
export function settle(judgement: Judgement): Verdict {
  const winner = answered(judgement) ?? NOTHING_SPOKE;
  const { precedence } = judgement.policy.preset;
  const all = judgement.overridden.length === 0 ? judgement.matches : [...judgement.matches, ...judgement.overridden];
  const spoken = all.length === 0 ? [NOTHING_SPOKE] : all;
  const matches = precedence.some((row) => row.level !== undefined)
    ? spoken.map((match) => withLevel(match, precedence))
    : spoken;
  const { effect, ruleId, reason, layer } = winner;
  return { effect, ruleId, reason, layer, risk: riskOf(judgement, winner), mode: judgement.mode, matches };
}

/** The winner after everybody who may answer in people's place: the mode, a hook, and at last a session where nobody may be asked. */
function answered(judgement: Judgement): Match | null {
  let winner = strongest(judgement);
  for (const answer of ANSWERS) {
    const spoken = judgement.matches.length;
    answer(judgement, winner);
    if (judgement.matches.length > spoken) winner = strongest(judgement);
  }
  return winner;
}

const ANSWERS: readonly ((judgement: Judgement, winner: Match | null) => void)[] = [
  answerByMode,
  (judgement, winner) => {
    if (winner?.effect === 'ask') answerByHook(judgement);
  },
  (judgement, winner) => {
    if (winner === null || winner.effect === 'ask') refuseQuestions(judgement);
  },
  // Nobody is asked about a call that would be refused afterwards.
  (judgement, winner) => {
    if (judgement.policy.preset.checksSchema === 'last' && winner?.effect !== 'deny') refuseUnfit(judgement);
  },
];

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

const GRAVE = /^(?:command\.|path\.(?:protected|secret|control|outside_roots)|shell\.(?!unlisted)|content\.|address\.)/;

/** How much is at stake: what was found, then what kind of tool it is. */
function riskOf(judgement: Judgement, winner: Match): Risk {
  const grave = judgement.matches.some((match) => match.effect !== 'allow' && GRAVE.test(match.ruleId));
  if (grave) return 'high';
  const { kind, harmless } = judgement.analysis.entry;
  const reads = kind === 'read' || kind === 'interaction' || harmless === true || winner.ruleId === 'command.read_only';
  return reads && winner.effect === 'allow' ? 'low' : 'medium';
}
