/** Explains a verdict in words. Rendered from the verdict alone, so that it can never say something else. */
import type { Match, Risk, Verdict } from '@countersign/contracts';

/** What people and agents are told. */
export interface Explanation {
  readonly riskLevel: Risk;
  readonly explanation: string;
  readonly reasoning: string;
  readonly risk: string;
}

const VERBS = { allow: 'Allowed', ask: 'A person must decide', deny: 'Denied' } as const;

const RISKS: Readonly<Record<Risk, string>> = {
  low: 'It reads or stays inside the conversation.',
  medium: 'It may change files or reach other systems.',
  high: 'It may do harm that is hard to undo, or reveal secrets.',
};

/** Folders of the operating system itself, on Unix and on Windows. */
const SYSTEM_PATH =
  /^(?:\/(?:etc|bin|sbin|usr|boot|dev|proc|sys|lib\d*|System)(?:\/|$)|[A-Za-z]:[\\/]Windows(?:[\\/]|$))/i;

/** Renders a verdict. `reasoning` names the other matches, strongest layers first, one a line. */
export function explain(verdict: Verdict): Explanation {
  const subject = verdict.matches.find((match) => isWinner(match, verdict))?.subject ?? null;
  const about = subject === null ? '' : ` (${subject})`;
  const system = verdict.matches.map((match) => match.subject).find((text) => text !== null && SYSTEM_PATH.test(text));
  const others = verdict.matches.filter((match) => !isWinner(match, verdict));
  return {
    riskLevel: verdict.risk,
    explanation: `${VERBS[verdict.effect]}: ${verdict.reason}${about}, by \`${verdict.ruleId}\` in layer ${verdict.layer}.`,
    reasoning: others.length === 0 ? 'Nothing else spoke about this call.' : others.map(line).join('\n'),
    risk: system === undefined ? RISKS[verdict.risk] : `${RISKS[verdict.risk]} It is about a system file: ${system}.`,
  };
}

function isWinner(match: Match, verdict: Verdict): boolean {
  return (
    match.ruleId === verdict.ruleId &&
    match.layer === verdict.layer &&
    match.effect === verdict.effect &&
    match.reason === verdict.reason
  );
}

function line(match: Match): string {
  const about = match.subject === null ? '' : ` (${match.subject})`;
  return `${match.layer}: ${match.effect} by \`${match.ruleId}\`: ${match.reason}${about}`;
}
