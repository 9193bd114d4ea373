/** From what was recorded to what the waiting agent is told. */
import type { CallOutcome, PolicyDocument, RedactionRecord, RequestRecord, ToolCall } from '@countersign/contracts';
import type { BodyOf } from './events.js';

/** The outcome of a decided call. */
export function outcomeOf(decided: BodyOf<'ToolCallDecided'>): CallOutcome {
  const { request, decision } = decided;
  return {
    id: request.callId,
    decision: decision.effect === 'allow' ? 'allow' : 'deny',
    ruleId: decision.ruleId,
    reason: decision.reason,
    layer: decision.layer,
    approvalStatus: decision.approvalStatus,
    ...(decision.askId === null ? {} : { askId: decision.askId }),
    ...(decision.updatedInput === null ? {} : { updatedInput: JSON.parse(decision.updatedInput) as unknown }),
    ...(decision.additionalContext === undefined ? {} : { additionalContext: decision.additionalContext }),
    ...(decision.stop ? { stop: true } : {}),
  };
}

/** The outcome of a call that waits for people. The terms of the ask hold; for one without terms the policy's do. */
export function pendingOutcome(
  opened: BodyOf<'AskOpened'>,
  policy: Pick<PolicyDocument, 'holdSeconds' | 'passAsk'>,
): CallOutcome {
  const terms = opened.terms ?? policy;
  return {
    id: opened.request.callId,
    decision: 'pending',
    ruleId: opened.verdict.ruleId,
    reason: opened.verdict.reason,
    layer: opened.verdict.layer,
    approvalStatus: null,
    askId: opened.askId,
    holdSeconds: terms.holdSeconds,
    ...(terms.passAsk ? { passAsk: true } : {}),
    ...(opened.additionalContext === undefined ? {} : { additionalContext: opened.additionalContext }),
  };
}

/** A call in the form in which it may be stored; `redaction` absent: it is as the agent sent it. */
export type RecordedCall = ToolCall & { readonly redaction?: RedactionRecord };

/** The call as it is recorded. */
export function requestRecord(call: RecordedCall): RequestRecord {
  return {
    callId: call.id,
    keyId: call.keyId,
    agent: call.agent,
    toolUseId: call.toolUseId,
    attempt: call.attempt,
    tool: call.tool,
    args: call.args,
    cwd: call.cwd,
    mode: call.mode,
    resolvedPaths: call.resolvedPaths,
    description: call.description,
    ...(call.placeHash === undefined ? {} : { placeHash: call.placeHash }),
    ...(call.redaction === undefined ? {} : { redaction: call.redaction }),
  };
}

/**
 * Is this the decision that its call key keeps? Not so for a call under another call's id and for one of a foreign key:
 * they are recorded, and the first call keeps the key.
 */
export function holdsKey(decided: BodyOf<'ToolCallDecided'>): boolean {
  return decided.decision.ruleId !== 'call.id_reused' && decided.decision.ruleId !== 'auth.not_own_session';
}
