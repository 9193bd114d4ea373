/** Layer 0: can the arguments be judged at all? */
import type { ArgumentProblem } from '@countersign/contracts';
import { addMatch, type Judgement } from '../judgement.js';

const PROBLEMS: Readonly<Record<ArgumentProblem, string>> = {
  not_an_object: 'the arguments are not an object',
  lone_surrogate: 'the arguments hold half a character',
  duplicate_key: 'the arguments name a key twice',
  unsafe_integer: 'the arguments hold an integer that does not survive JSON',
  too_large: 'the arguments are larger than 256 KB',
  too_deep: 'the arguments are nested too deeply',
};

export function requestLayer(judgement: Judgement): void {
  const { call, analysis } = judgement;
  if (call.problem !== null) refuse(judgement, PROBLEMS[call.problem]);
  else if (analysis.args === null) refuse(judgement, PROBLEMS.not_an_object);
  else if (analysis.entry.command !== undefined && analysis.command === null) {
    refuse(judgement, `\`${analysis.entry.command.name}\` must be text`);
  } else if (analysis.entry.url !== undefined && analysis.url === null) {
    refuse(judgement, `\`${analysis.entry.url}\` must be text`);
  } else {
    const lost = analysis.entry.paths?.find(
      (path) => !isPathText(analysis.args?.[path.name], path.defaultsToCwd === true),
    );
    if (lost !== undefined) refuse(judgement, `\`${lost.name}\` must be a path`);
  }
}

function isPathText(value: unknown, optional: boolean): boolean {
  if (value === undefined) return optional;
  return typeof value === 'string' && value !== '' && !value.includes('\0');
}

function refuse(judgement: Judgement, reason: string): void {
  addMatch(judgement, { layer: 'request', effect: 'deny', ruleId: 'request.invalid_arguments', reason });
}
