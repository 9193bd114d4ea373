/** Our answers as Claude Code's own JSON: only documented keys, and never a deny without a reason. */
import type { CallOutcome } from '@countersign/contracts';
import { bounded, fieldsOf } from '../fields.js';
import type { HookReply, RenderedReply } from '../hook-input.js';
import { DIALOG_TOOLS, isGateEvent, type GateEvent } from './events.js';

/** Claude Code moves longer texts out to a file. */
const MAX_TEXT = 9_800;

/** What is to be said, whatever the event. */
type Said =
  | {
      readonly effect: 'allow';
      readonly reason: string;
      readonly input: RenderedReply | null;
      readonly context: string | null;
    }
  | { readonly effect: 'ask'; readonly reason: string }
  | { readonly effect: 'deny'; readonly reason: string; readonly stop: boolean }
  | { readonly effect: 'none' };

/**
 * The reply to one hook. `event` null: the body was unreadable, so that nobody knows what waits. Then a refusal takes the
 * old top-level form `{decision: "block", reason}`: it is the only one that no event rejects. A `hookSpecificOutput` must
 * name the very event or the whole answer is an error, upon which the tool runs; `continue: false` ends the session
 * without stopping the tool.
 */
export function renderClaudeReply(event: string | null, reply: HookReply): RenderedReply {
  const said = say(reply);
  if (said.effect === 'none') return {};
  if (event === null) return said.effect === 'allow' ? {} : { decision: 'block', reason: said.reason };
  if (isGateEvent(event)) return GATES[event](said);
  return said.effect === 'deny' ? refusalOf(event, said.reason) : {};
}

function say(reply: HookReply): Said {
  switch (reply.kind) {
    case 'decision':
      return sayOutcome(reply.outcome, reply.tool ?? null);
    case 'pending-released':
      return deny(pendingReason(reply.askId, reply.reason ?? ''));
    case 'refusal':
      return deny(reply.reason);
    case 'nothing':
      return { effect: 'none' };
    default:
      return unknownReply(reply);
  }
}

function sayOutcome(outcome: CallOutcome, tool: string | null): Said {
  switch (outcome.decision) {
    case 'allow':
      return sayAllow(outcome, tool);
    case 'deny':
      return deny(outcome.reason, outcome.stop === true);
    case 'pending':
      return outcome.passAsk === true
        ? { effect: 'ask', reason: textOr(outcome.reason, 'this call needs your approval') }
        : deny(pendingReason(outcome.askId ?? outcome.id, outcome.reason));
    default:
      return unknownReply(outcome.decision);
  }
}

function sayAllow(outcome: CallOutcome, tool: string | null): Said {
  const rewritten = outcome.updatedInput !== undefined;
  const input = rewritten ? fieldsOf(outcome.updatedInput) : null;
  if (rewritten && input === null) return deny('the rewritten input is not an object');
  if (!rewritten && tool !== null && leavesDialog(tool, outcome)) return { effect: 'none' };
  return {
    effect: 'allow',
    reason: textOr(outcome.reason, 'allowed'),
    input: input === null ? null : { ...input },
    context: outcome.additionalContext === undefined ? null : bounded(outcome.additionalContext, MAX_TEXT),
  };
}

/** A mere permission must not answer the agent's own dialog; only a plan that a person approved needs no second question. */
function leavesDialog(tool: string, { approvalStatus }: CallOutcome): boolean {
  return DIALOG_TOOLS.has(tool) && !(tool === 'ExitPlanMode' && approvalStatus === 'approved');
}

function deny(reason: string, stop = false): Said {
  return { effect: 'deny', reason: textOr(reason, 'denied by policy'), stop };
}

/** INVARIANT: an answer that nobody foresaw is a refusal. */
function unknownReply(_value: never): Said {
  return deny('the answer to this call could not be read');
}

function pendingReason(askId: string, why: string): string {
  const because = why.trim() === '' ? '' : ` (${why})`;
  return `pending, id ${askId}: people were asked and have not answered yet${because}; retry the same call after approval`;
}

function textOr(text: string, instead: string): string {
  return text.trim() === '' ? instead : bounded(text, MAX_TEXT);
}

type SaidSomething = Exclude<Said, { effect: 'none' }>;

const GATES: Readonly<Record<GateEvent, (said: SaidSomething) => RenderedReply>> = {
  PreToolUse: (said) => ({
    ...stopKeys(said),
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: said.effect,
      permissionDecisionReason: said.reason,
      ...(said.effect === 'allow' && said.input !== null ? { updatedInput: said.input } : {}),
      ...(said.effect === 'allow' && said.context !== null ? { additionalContext: said.context } : {}),
    },
  }),
  PermissionRequest: permissionRequest,
  PreSkillShellCommand: preSkillShellCommand,
};

/** An ask is left to the prompt that the agent is about to show anyway. */
function permissionRequest(said: SaidSomething): RenderedReply {
  if (said.effect === 'ask') return {};
  const decision =
    said.effect === 'allow'
      ? { behavior: 'allow', ...(said.input === null ? {} : { updatedInput: said.input }) }
      : { behavior: 'deny', message: said.reason, ...(said.stop ? { interrupt: true } : {}) };
  return { ...stopKeys(said), hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } };
}

/** Here an ask refuses, and so does any rewriting: both are said as the refusal that they are. */
function preSkillShellCommand(said: SaidSomething): RenderedReply {
  const rewritten = said.effect === 'allow' && said.input !== null;
  const allowed = said.effect === 'allow' && !rewritten;
  return {
    ...stopKeys(said),
    hookSpecificOutput: {
      hookEventName: 'PreSkillShellCommand',
      permissionDecision: allowed ? 'allow' : 'deny',
      permissionDecisionReason: rewritten ? 'a rewritten command cannot run inside a skill' : said.reason,
    },
  };
}

function stopKeys(said: SaidSomething): RenderedReply {
  return said.effect === 'deny' && said.stop ? { continue: false, stopReason: said.reason } : {};
}

/** Events that gate no tool but take a refusal, in their own form; all others are answered with no opinion. */
function refusalOf(event: string, reason: string): RenderedReply {
  switch (event) {
    case 'UserPromptSubmit':
      return { decision: 'block', reason };
    case 'Elicitation':
    case 'ElicitationResult':
      return { hookSpecificOutput: { hookEventName: event, action: 'decline' } };
    default:
      return {};
  }
}
