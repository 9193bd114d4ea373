/** What a mode answers in place of people, once every layer has spoken. It never touches a deny. */
import type { Effect, Match } from '@countersign/contracts';
import type { ClassifiedMode } from '../policy/preset.js';
import { canonicalPath, isInside } from '../paths/normalise.js';
import { addMatch, type Judgement } from './judgement.js';
import { isSafeLine } from './shell-lists.js';

/** Adds the mode's answer to a question, and, where a classifier judges, to what only the default allows. */
export function answerByMode(judgement: Judgement, first: Match | null): void {
  const { classified } = judgement.modeEntry;
  const byDefault = first?.effect === 'allow' && first.layer === 'default';
  if (classified !== undefined && byDefault) classify(judgement, classified, byDefault);
  if (first?.effect !== 'ask') return;
  if (classified === undefined) answerAsk(judgement);
  else classify(judgement, classified, false);
}

function answerAsk(judgement: Judgement): void {
  const { modeEntry, mode } = judgement;
  if (modeEntry.finalAsk === 'allow')
    say(judgement, 'allow', { ruleId: `mode.${mode}`, reason: `mode \`${mode}\` asks nobody` });
  else if (modeEntry.passesEdits === true && isEditInFolder(judgement))
    say(judgement, 'allow', {
      ruleId: `mode.${mode}`,
      reason: `mode \`${mode}\` lets edits in the working folder run`,
    });
}

function say(judgement: Judgement, effect: Effect, said: { ruleId: string; reason: string }): void {
  addMatch(judgement, { layer: 'mode', effect, ...said });
}

function classify(judgement: Judgement, how: ClassifiedMode, byDefault: boolean): void {
  const { mode, facts } = judgement;
  const passes = isEditInFolder(judgement) || isSafeTool(judgement, how) || (byDefault && isSafeLine(judgement));
  if (passes) {
    say(judgement, 'allow', { ruleId: `mode.${mode}`, reason: `mode \`${mode}\` knows this to be harmless` });
    return;
  }
  switch (facts.classifier) {
    case 'safe':
      say(judgement, 'allow', { ruleId: 'classifier.safe', reason: 'the classifier finds this safe' });
      return;
    case 'unavailable':
      say(judgement, how.unavailable, { ruleId: 'classifier.unavailable', reason: 'the classifier does not answer' });
      return;
    case 'unsafe':
      say(judgement, 'ask', { ruleId: 'classifier.unsafe', reason: 'the classifier finds this unsafe' });
      return;
    case undefined:
      say(judgement, 'ask', { ruleId: 'classifier.not_asked', reason: 'no classifier was asked' });
  }
}

function isSafeTool(judgement: Judgement, how: ClassifiedMode): boolean {
  const { call, policy } = judgement;
  return how.safeTools.has(call.tool) || policy.settings.safeTools.includes(call.tool);
}

/** Every file that the call names is written inside the working folder, as written and as it really is. */
function isEditInFolder(judgement: Judgement): boolean {
  const { analysis, paths, bases } = judgement;
  const files = paths.filter((path) => path.use.origin === 'argument');
  const folder = bases.relative === null ? null : canonicalPath(bases.relative);
  if (analysis.entry.kind !== 'write' || files.length === 0 || folder === null) return false;
  return files.every(
    ({ lexical, real }) => lexical !== null && real !== null && isInside(lexical, folder) && isInside(real, folder),
  );
}
