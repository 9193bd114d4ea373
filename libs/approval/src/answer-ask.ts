/** The ends of an ask that people and timers bring about: answers and expiry. */
import type { Answer, Answerer, AskStatus, Grant, SessionEvent } from '@countersign/contracts';
import { DEFAULT_BREAKER, breakerOpened, breakerReason, countedDenial } from './breaker.js';
import { isLineTimeUp } from './call-limits.js';
import { accepted, refused, type AnswerAsk, type CommandContext, type CommandResult } from './command.js';
import { endAsk, endOpenAsks, SYSTEM } from './end-ask.js';
import { sessionEvent, type BodyOf, type OpenedAsk } from './events.js';
import { evolve } from './evolve.js';
import { holderOf } from './held.js';
import type { OpenAsk, SessionState } from './state.js';
import { boundedText } from './text.js';
import { isApprovableOn, mayAnswer, OPEN_ROUTE, type Membership } from './route.js';
import { unreachable } from './unreachable.js';

/** How long the one-time grant of an approved parked ask holds. */
export const PARKED_GRANT_MS = 15 * 60 * 1_000;

/** An answer to an open ask. Refused: unknown or ended asks, approvals while something holds the session, approvals by nobody. */
export function answerAsk(state: SessionState, command: AnswerAsk, context: CommandContext): CommandResult {
  const found = openAskOf(state, command.askId, context);
  if (!found.ok) return found.refusal;
  const { ask, opened } = found;
  const barred = barredBy(opened, command);
  if (barred !== null) return barred;
  const answered = sessionEvent('AskAnswered', {
    askId: command.askId,
    answer: command.answer,
    scope: command.scope,
    by: command.by,
    reason: command.reason === null ? null : boundedText(command.reason, 2_000),
    ...editedRecord(command),
    ...(command.repeatHash === undefined ? {} : { repeatHash: command.repeatHash }),
  });
  switch (command.answer) {
    case 'approve':
      return approve({ state, command, context, ask, opened, answered });
    case 'reject':
      return accepted([answered, ...denied(state, opened, context, personEnd(command, 'rejected'))]);
    case 'cancel':
      return accepted([
        answered,
        ...endAsk(opened, {
          status: 'cancelled',
          by: command.by,
          reason: says('withdrawn', command),
          counted: false,
          stop: false,
        }),
      ]);
    default:
      return unreachable(command.answer, refused('request.invalid'));
  }
}

/** Does a late answer say the same as the end of the ask? Expiry is nobody's answer, so it agrees with none. */
export function agreesWith(answer: Answer, status: AskStatus): boolean {
  switch (answer) {
    case 'approve':
      return status === 'approved';
    case 'reject':
      return status === 'rejected';
    case 'cancel':
      return status === 'cancelled';
    default:
      return unreachable(answer, false);
  }
}

function editedRecord({ answer, edited }: AnswerAsk): Partial<BodyOf<'AskAnswered'>> {
  if (answer !== 'approve' || edited === undefined) return {};
  return { edited: { argsHash: edited.args.hash, effect: edited.effect, ruleId: edited.ruleId } };
}

/** Who may answer is for the ask's route to say, as it was when the ask was opened. The agent's own prompt has no route. */
function barredBy({ terms }: OpenedAsk, command: AnswerAsk): CommandResult | null {
  const { answer, by } = command;
  if (by.channel === 'agent' || by.channel === 'system') return null;
  const route = terms?.route ?? OPEN_ROUTE;
  if (!mayAnswer(route, membershipOf(command))) return refused('ask.not_approver');
  return answer === 'approve' && !isApprovableOn(route, by.channel) ? refused('ask.reject_only') : null;
}

function membershipOf({ by, groups = [], program }: AnswerAsk): Membership {
  const { channel, personId, personName } = by;
  const named = channel === 'classifier' ? 'classifier' : (program ?? null);
  return { personId, personName, groups, program: named };
}

/** Nobody answered in time. Whether the time is over is for the database's clock to say. */
export function expireAsk(state: SessionState, askId: string, context: CommandContext): CommandResult {
  const found = openAskOf(state, askId, context);
  if (!found.ok) return found.refusal;
  const { timeoutMs } = found.opened;
  const reason = timeoutMs === null ? 'nobody answered in time' : `nobody answered within ${timeoutMs / 1_000} s`;
  return accepted(denied(state, found.opened, context, { status: 'expired', by: SYSTEM, reason, kind: 'expiry' }));
}

interface Approval {
  readonly state: SessionState;
  readonly command: AnswerAsk;
  readonly context: CommandContext;
  readonly ask: OpenAsk;
  readonly opened: OpenedAsk;
  readonly answered: SessionEvent;
}

function approve(approval: Approval): CommandResult {
  const barred = approvalBarredBy(approval);
  if (barred !== null) return barred;
  const { command, context, ask, opened, answered } = approval;
  const approved = withEdit(opened, command);
  const grant = grantOf(command, context, ask, approved);
  const { by } = command;
  const granted = grant === null ? [] : [sessionEvent('GrantCreated', { grant })];
  const ends = endAsk(approved, {
    status: 'approved',
    by,
    reason: says('approved', command),
    counted: false,
    stop: false,
  });
  return accepted([answered, ...granted, ...ends]);
}

/** What keeps an ask from being approved that may well be rejected. */
function approvalBarredBy({ state, command, context, ask, opened }: Approval): CommandResult | null {
  if (!mayApprove(command.by, ask)) return refused('auth.wrong_role', 'only a person or a named program approves');
  if (context.frozen?.includes(command.askId) === true) return refused('ask.frozen');
  const held = holderOf(state, context.ancestors ?? []);
  if (held !== null) return refused('ask.already_resolved', held.message);
  const line = [...(context.ancestors ?? []), state];
  if (isLineTimeUp(line, opened.terms ?? {}, context.now)) return refused('session.over');
  return deniedAgain(command);
}

/** What was judged at the time of the answer: the call itself, or what was put in the place of its arguments. */
function deniedAgain({ edited, deniedNow }: AnswerAsk): CommandResult | null {
  if (deniedNow !== undefined) {
    return refused('ask.denied_now', boundedText(`denied by now, and the ask stays open: ${deniedNow}`, 2_000));
  }
  return edited?.effect === 'deny' ? refused('ask.edit_denied', edited.reason) : null;
}

/** The answer covers the edited arguments: they are what is decided and what a grant is bound to. */
function withEdit(opened: OpenedAsk, { edited }: AnswerAsk): OpenedAsk {
  return edited === undefined ? opened : { ...opened, finalArgs: edited.args };
}

/** INVARIANT: a timer approves nothing, and an agent only what its own prompt put to its user. */
function mayApprove(by: Answerer, ask: OpenAsk): boolean {
  switch (by.channel) {
    case 'web':
    case 'slack':
    case 'email':
    case 'cli':
      return by.personId !== null;
    case 'webhook':
    case 'classifier':
      return true;
    case 'agent':
      return ask.passAsk;
    case 'system':
      return false;
    default:
      return unreachable(by.channel, false);
  }
}

/** What the approval leaves behind: a durable grant for `session` and `always`; a one-time grant when nobody waits any more. */
function grantOf(command: AnswerAsk, context: CommandContext, ask: OpenAsk, opened: OpenedAsk): Grant | null {
  const base = {
    id: command.grantId,
    tool: opened.request.tool,
    liftsRuleIds: askingRules(opened),
    askId: command.askId,
    personId: command.by.personId,
    expiresAt: command.expiresAt ?? null,
  };
  switch (command.scope) {
    case 'once':
      return ask.parked
        ? { ...base, ...thisCall(opened), kind: 'once', expiresAt: later(context.now, PARKED_GRANT_MS) }
        : null;
    case 'session':
      return { ...base, ...subjectOf(command, opened), kind: 'session' };
    case 'always': {
      const uses = command.uses === undefined ? {} : { uses: command.uses };
      return { ...base, ...uses, ...tenantWide(command), ...subjectOf(command, opened), kind: 'always' };
    }
    default:
      return unreachable(command.scope, null);
  }
}

/** What the person wrote that is allowed from now on; without it, this exact call. */
function subjectOf({ pattern }: AnswerAsk, opened: OpenedAsk): Pick<Grant, 'argsHash' | 'placeHash' | 'pattern'> {
  return pattern === undefined ? thisCall(opened) : { argsHash: null, pattern };
}

/** The same arguments in the same place: a relative path in another folder is another file. */
function thisCall({ request, finalArgs = request.args }: OpenedAsk): Pick<Grant, 'argsHash' | 'placeHash' | 'pattern'> {
  return { argsHash: finalArgs.hash, placeHash: request.placeHash ?? null, pattern: null };
}

function tenantWide({ tenantWide: wide, root }: AnswerAsk): Pick<Grant, 'tenantWide' | 'root'> {
  return wide === true ? { tenantWide: true, ...(root === undefined ? {} : { root }) } : {};
}

function askingRules(opened: OpenedAsk): string[] {
  const asking = opened.verdict.matches.filter((match) => match.effect === 'ask').map((match) => match.ruleId);
  return [...new Set([opened.verdict.ruleId, ...asking])];
}

/** INVARIANT: an unreadable clock makes a grant that has ended already. */
function later(now: string, ms: number): string {
  const at = Date.parse(now);
  return Number.isNaN(at) ? '1970-01-01T00:00:00.000Z' : new Date(at + ms).toISOString();
}

interface Denial {
  readonly status: 'rejected' | 'expired';
  readonly by: Answerer;
  readonly reason: string;
  readonly kind: 'person' | 'expiry';
}

function personEnd(command: AnswerAsk, status: 'rejected'): Denial {
  return { status, by: command.by, reason: says('rejected', command), kind: 'person' };
}

/** Ends the ask as denied; where that denial opens the breaker, the same list opens it and ends all other asks. */
function denied(state: SessionState, opened: OpenedAsk, context: CommandContext, denial: Denial): SessionEvent[] {
  const limits = opened.terms?.breaker ?? DEFAULT_BREAKER;
  const counted = limits.counts.includes(denial.kind) && !state.breakerOpen;
  const reason = counted ? breakerReason(countedDenial(state), limits) : null;
  const end = { ...denial, counted, stop: reason !== null, at: context.now };
  const events = endAsk(opened, end);
  if (reason === null) return events;
  const after = events.reduce(evolve, state);
  const ended = endOpenAsks(after, context.asks, 'the session was stopped after too many denials');
  return [...events, breakerOpened(after, reason), ...ended.events];
}

function says(what: string, command: AnswerAsk): string {
  const { by, reason } = command;
  const name = by.personName ?? by.personId;
  const who = name === null ? `via ${by.channel}` : `by ${name} via ${by.channel}`;
  return boundedText(reason === null || reason === '' ? `${what} ${who}` : `${what} ${who}: ${reason}`, 2_000);
}

type FoundAsk =
  | { readonly ok: true; readonly ask: OpenAsk; readonly opened: OpenedAsk }
  | { readonly ok: false; readonly refusal: CommandResult };

/** The open ask and its stored body. An ask that is not open any more, or was never of this session, is refused. */
function openAskOf(state: SessionState, askId: string, context: CommandContext): FoundAsk {
  const ask = state.openAsks.find((one) => one.askId === askId);
  const opened = context.asks[askId];
  if (ask === undefined) {
    return { ok: false, refusal: refused(opened === undefined ? 'ask.unknown' : 'ask.already_resolved') };
  }
  if (opened === undefined) return { ok: false, refusal: refused('internal.error', `ask \`${askId}\` was not loaded`) };
  return { ok: true, ask, opened };
}
