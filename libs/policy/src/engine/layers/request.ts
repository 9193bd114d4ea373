/** Layer 0: can the arguments be judged at all? */
import type { ArgumentProblem } from '@countersign/contracts';
import { describeProblem, validateArguments } from '../../tools/validate-arguments.js';
import type { CallArguments } from '../analysis.js';
import { addMatch, type Judgement } from '../judgement.js';
import { hasControl } from '../../shell/characters.js';
import { isPlanTool } from './exceptions.js';

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
  refuseUnknownTool(judgement);
  refuseByPreset(judgement);
  if (call.problem !== null) refuse(judgement, PROBLEMS[call.problem]);
  else if (analysis.args === null) refuse(judgement, PROBLEMS.not_an_object);
  else if (analysis.entry.command !== undefined && analysis.command === null) {
    refuse(judgement, `\`${analysis.entry.command.name}\` must be text`);
  } else if (analysis.entry.url !== undefined && analysis.url === null) {
    refuse(judgement, `\`${analysis.entry.url}\` must be text`);
  } else {
    refuseUnreadable(judgement, analysis.args);
  }
}

/** Arguments must be as the tool's schema says, and its files must be readable from them. */
function refuseUnreadable(judgement: Judgement, args: CallArguments): void {
  const { entry, problems, oddPlaces } = judgement.analysis;
  if (judgement.policy.preset.checksSchema === 'first') refuseUnfit(judgement);
  for (const problem of problems) refuse(judgement, problem);
  if (oddPlaces || entry.paths === undefined) return;
  for (const { name, defaultsToCwd } of entry.paths) {
    if (isPathText(args[name], defaultsToCwd === true)) continue;
    refuse(judgement, `\`${name}\` must be a path`);
    return;
  }
}

/** Refuses arguments that are not as the tool's schema says. */
export function refuseUnfit(judgement: Judgement): void {
  const { entry, args } = judgement.analysis;
  if (entry.schema === undefined || args === null) return;
  const unfit = validateArguments(entry.schema, args)[0];
  if (unfit !== undefined) refuse(judgement, describeProblem(unfit));
}

/** What the tools behind the preset would not take anyway. */
function refuseByPreset(judgement: Judgement): void {
  const { refuses } = judgement.policy.preset;
  const { command, url, host } = judgement.analysis;
  if (refuses.includes('control_characters') && command !== null && hasControl(command)) {
    refuse(judgement, 'the command holds control characters');
  }
  if (refuses.includes('bare_hosts') && url !== null && host?.includes('.') !== true) {
    refuse(judgement, 'the address names no public host');
  }
}

/** A tool that is switched off goes no further, nor does one that is not found where tools are looked up before all else. */
function refuseUnknownTool(judgement: Judgement): void {
  const { call, analysis, policy } = judgement;
  if (analysis.entry.enabled === false) {
    const reason = `the tool \`${call.tool}\` is switched off`;
    addMatch(judgement, { layer: 'request', effect: 'deny', ruleId: 'tool.disabled', reason });
  }
  if (policy.preset.unknownToolStage !== 'request' || analysis.entry.known || isPlanTool(judgement)) return;
  const reason = `no manifest knows the tool \`${call.tool}\``;
  addMatch(judgement, { layer: 'request', effect: 'deny', ruleId: 'tool.unknown', reason });
}

function isPathText(value: unknown, optional: boolean): boolean {
  if (value === undefined) return optional;
  return typeof value === 'string' && value !== '' && !value.includes('\0');
}

function refuse(judgement: Judgement, reason: string): void {
  addMatch(judgement, { layer: 'request', effect: 'deny', ruleId: 'request.invalid_arguments', reason });
}
