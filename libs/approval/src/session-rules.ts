/** The rules that a session gets and loses while it runs. */
import { canonicalJson, type Rule } from '@countersign/contracts';
import { accepted, refused, type CommandResult, type SessionCommand } from './command.js';
import { sessionEvent } from './events.js';
import { STATE_LIMITS, type SessionState } from './state.js';

type ChangeRules = Extract<SessionCommand, { type: 'ChangeRules' }>;

/** Rules that the session has already are not added again. Refused: the removal of a rule that it has not, and too many rules. */
export function changeRules(state: SessionState, { added, removed, by }: ChangeRules): CommandResult {
  const unknown = removed.find((id) => state.rules.every((rule) => rule.id !== id));
  if (unknown !== undefined) return refused('rule.unknown', `the session has no rule \`${unknown}\``);
  const fresh = newRules(state, { added, removed });
  if (fresh.length === 0 && removed.length === 0) return accepted([]);
  if (state.rules.length - removed.length + fresh.length > STATE_LIMITS.rules) {
    return refused('request.invalid', `a session holds at most ${STATE_LIMITS.rules} rules`);
  }
  return accepted([sessionEvent('SessionRulesChanged', { added: fresh, removed: [...removed], by })]);
}

/**
 * Those of the added rules that the session does not have in every respect. INVARIANT: a session command makes session rules; it
 * can never plant a managed one.
 */
export function newRules(
  { rules }: Pick<SessionState, 'rules'>,
  { added, removed }: Pick<ChangeRules, 'added' | 'removed'>,
): Rule[] {
  const kept = new Map(rules.filter(({ id }) => !removed.includes(id)).map((rule) => [rule.id, canonicalJson(rule)]));
  return added
    .map((rule): Rule => ({ ...rule, source: 'session' }))
    .filter((rule) => kept.get(rule.id) !== canonicalJson(rule));
}
