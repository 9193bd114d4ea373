/** One answer of one person: through the ledger's guard, then told to whoever waits. */
import { randomUUID } from 'node:crypto';
import {
  DoorError,
  type AnswerBody,
  type Answerer,
  type AskView,
  type CallOutcome,
  type ErrorCode,
} from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import type { Bus } from '@countersign/queue';
import { isRepeat } from './repeated-answer.js';
import { tellDecided } from './tell-decided.js';

/** What the door hands over. `by` is a person or a program, never the agent: the door's role says so. */
export interface AnswerInput {
  readonly tenantId: string;
  readonly askId: string;
  readonly body: AnswerBody;
  readonly by: Answerer;
  /** Without an Idempotency-Key, the same person's same words on the same channel count as the same answer. */
  readonly keyless: boolean;
}

/** The ask as it stands now and what its call was told. */
export interface AnswerResult {
  readonly ask: AskView;
  readonly decision: CallOutcome;
}

/** Answers, or throws the DoorError that says why not. The first answer wins; every later one learns who won. */
export async function answerAsk(ledger: Ledger, bus: Bus, input: AnswerInput): Promise<AnswerResult> {
  const shown = await ledger.asks.get(input.tenantId, input.askId);
  if (shown === null) throw new DoorError('ask.unknown');
  if (await isRepeat(ledger, shown, input)) return resultOf(ledger, input, shown);
  if (isStale(shown, input.body)) return refuseStale(ledger, shown, input);
  const done = await ledger.execute({ tenantId: input.tenantId, sessionId: shown.sessionId }, commandOf(input));
  if (done.ok) await tellDecided(bus, { tenantId: input.tenantId, sessionId: shown.sessionId }, input, done.outcomes);
  const ask = (await ledger.asks.get(input.tenantId, input.askId)) ?? shown;
  if (done.ok || (await isRepeat(ledger, ask, input))) return resultOf(ledger, input, ask);
  throw refusal(done.code, ask, done.message);
}

function commandOf({ askId, body, by }: AnswerInput) {
  return {
    type: 'AnswerAsk',
    askId,
    answer: body.answer,
    scope: body.scope,
    by,
    reason: body.reason ?? null,
    grantId: `grant_${randomUUID()}`,
  } as const;
}

async function resultOf(ledger: Ledger, input: AnswerInput, ask: AskView): Promise<AnswerResult> {
  const decision = await ledger.calls.byId(input.tenantId, ask.callId);
  if (decision === null) throw new Error(`the call of ask \`${ask.id}\` has no row`);
  return { ask, decision: decision.outcome };
}

const isStale = (ask: AskView, { version }: AnswerBody): boolean =>
  ask.status === 'open' && version !== undefined && version !== ask.version;

/** An answer to something that the person did not see is refused, and kept. */
async function refuseStale(ledger: Ledger, ask: AskView, { tenantId, body, by }: AnswerInput): Promise<never> {
  const code = 'ask.stale_version' as const;
  const event = {
    type: 'AskAnswerRefused',
    version: 1,
    body: { askId: ask.id, answer: body.answer, by, code },
  } as const;
  const stream = { tenantId, streamId: ask.sessionId, expectedSeq: null, events: [event], state: null };
  await ledger.append([{ streams: [stream], epochs: [], unmoved: [] }]);
  throw new DoorError(code, undefined, { version: ask.version });
}

/** INVARIANT: whoever comes too late learns who was first; an ask that ran out of time is gone, whatever the race said. */
function refusal(code: ErrorCode, ask: AskView, message?: string): DoorError {
  if (ask.status === 'open') return new DoorError(code, message);
  const details = { status: ask.status, by: ask.resolvedBy, at: ask.resolvedAt, via: ask.resolvedVia };
  return new DoorError(ask.status === 'expired' ? 'ask.expired' : 'ask.already_resolved', undefined, details);
}
