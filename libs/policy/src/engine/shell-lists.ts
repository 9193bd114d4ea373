/** Judges the programs of a command line by the lists of a preset. The safe list stands before the dangerous one. */
import type { ShellCall } from '../shell/plan.js';
import { addMatch, type Judgement } from './judgement.js';

type Refusal = { readonly ruleId: string; readonly reason: string } | null;

/** Denies of the lists: lines that run nothing, programs that only a substitution names, dangerous and network programs and texts. */
export function denyListed(judgement: Judgement): void {
  const { shellLists } = judgement.policy.settings;
  const { plan, command } = judgement.analysis;
  if (shellLists === null || plan === null || command === null) return;
  if (shellLists.emptyLines.includes(command.trim().replace(/\s+/g, ' '))) {
    deny(judgement, { ruleId: 'shell.empty', reason: 'the command line runs nothing of its own' }, command);
  }
  for (const call of plan.calls) deny(judgement, refusalOf(judgement, call), call.source);
}

function deny(judgement: Judgement, refusal: Refusal, subject: string): void {
  if (refusal !== null) addMatch(judgement, { layer: 'hard-deny', effect: 'deny', ...refusal, subject });
}

function refusalOf(judgement: Judgement, call: ShellCall): Refusal {
  const { shellLists, blockNetwork } = judgement.policy.settings;
  if (shellLists === null) return null;
  if (call.program === null) return isSubstituted(call) ? SUBSTITUTED : textRefusal(call, shellLists.dangerousTexts);
  if (isSafe(judgement, call)) return null;
  if (shellLists.dangerous.has(call.program)) {
    return { ruleId: 'shell.dangerous_command', reason: `commands like \`${call.program}\` are not run` };
  }
  if (blockNetwork && shellLists.network.has(call.program)) {
    return { ruleId: 'shell.network_command', reason: `\`${call.program}\` reaches the network, which is blocked` };
  }
  return textRefusal(call, shellLists.dangerousTexts);
}

const SUBSTITUTED = { ruleId: 'shell.substituted_command', reason: 'the program is named by a substitution' } as const;

/** `$(…) x` and `` `…` x ``: what runs is what another command prints. */
function isSubstituted(call: ShellCall): boolean {
  return call.name?.pieces.some((piece) => piece.kind === 'dynamic' && /[`(]/.test(piece.text)) === true;
}

function textRefusal(call: ShellCall, texts: readonly string[]): Refusal {
  const found = texts.find((text) => call.source.includes(text));
  return found === undefined ? null : { ruleId: 'shell.dangerous_text', reason: `the command holds \`${found}\`` };
}

/** Asks about every program that no list names. */
export function askUnlisted(judgement: Judgement): void {
  const { shellLists, unlistedShell } = judgement.policy.settings;
  const { plan } = judgement.analysis;
  if (shellLists === null || plan === null || unlistedShell === 'allow') return;
  for (const call of plan.calls) {
    if (isSafe(judgement, call)) continue;
    const reason = 'the command is not on the safe list';
    addMatch(judgement, { layer: 'ask', effect: 'ask', ruleId: 'shell.unlisted', reason, subject: call.source });
  }
}

/** Is every program of the line on the safe list? False for a call that is no command line. */
export function isSafeLine(judgement: Judgement): boolean {
  const { plan } = judgement.analysis;
  return plan !== null && plan.calls.length > 0 && plan.calls.every((call) => isSafe(judgement, call));
}

/** The program is named by itself, without a folder in front, and no variable that changes what it does stands before it. */
function isSafe(judgement: Judgement, call: ShellCall): boolean {
  const { shellLists } = judgement.policy.settings;
  if (shellLists === null || call.program === null) return false;
  if (call.program === '') return true;
  return shellLists.safe.has(call.program) && call.name?.value === call.program && call.assignments.length === 0;
}
