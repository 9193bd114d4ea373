/**
 * An answer of a sequence. Whatever channel the row names, it comes through the approver's door, with the person's key: rows are
 * about whose answer counts. The doors of Slack, webhooks and the terminal are tried by specs of their own.
 */
import { send, type Answer } from '../system/doors.js';
import type { Observed } from './compare.js';
import { kindsOf } from './look-ups.js';
import type { Sequence } from './sequence.js';
import { denialsOf } from './step-call.js';
import type { AnswerWish } from './sequence-row.js';

const ANSWERS = { allow: 'approve', allow_always: 'approve', deny: 'reject', cancel: 'cancel' } as const;

export async function answerAsk(sequence: Sequence, wish: AnswerWish): Promise<Observed> {
  const answer = await sendAnswer(sequence, wish);
  const { call } = wish;
  const outcome = () => sequence.look(call);
  const effect = async () => ((await outcome()).decision === 'pending' ? 'ask' : (await outcome()).decision);
  return {
    accepted: () => answer.status === 200,
    status: async () => (await sequence.ask(call)).status,
    code: () => codeOf(answer),
    effect,
    handlerCalled: async () => (await effect()) === 'allow',
    executionStatus: async () => ((await effect()) === 'deny' ? 'blocked' : 'running'),
    protocolBlock: async () => ({ isError: (await effect()) === 'deny' }),
    errorKind: async () => ((await outcome()).approvalStatus === 'rejected' ? 'permission' : 'none'),
    directive: async () => ((await outcome()).stop === true ? 'terminate' : null),
    denials: () => denialsOf(sequence, sequence.sent(call).sessionId),
    grant: () => grantOf(sequence, call),
    eventOrder: async () => (await eventsAround(sequence, call)).flatMap(kindsOf),
    logged: async () => (await eventsAround(sequence, call)).some(({ type }) => type === 'AskAnswerRefused'),
  };
}

/** An ended ask answers 409, or 410 when it ran out; a call that never asked has none to answer. */
function codeOf({ body }: Answer): string | undefined {
  const code = body.error?.code;
  if (code === 'ask.expired') return 'ask.already_resolved';
  return code === 'ask.unknown' ? 'no_pending_ask' : code;
}

async function sendAnswer(sequence: Sequence, { call, decision }: AnswerWish): Promise<Answer> {
  const { outcome } = sequence.sent(call);
  const askId = outcome?.askId ?? `ask-of-${call}`;
  const path = `${sequence.stack.approver}/v1/asks/${askId}`;
  const key = sequence.keys.approver;
  const always = decision === 'allow_always' ? { scope: 'always', ...(await offered(path, key)) } : {};
  return send(`${path}/answer`, { key, body: { answer: ANSWERS[decision], ...always } });
}

/** The pattern that people are offered for "always", narrowest first. */
async function offered(path: string, key: string): Promise<{ pattern?: string }> {
  const { body } = await send(path, { key });
  const [first] = (body['suggestions'] ?? []) as { pattern: string }[];
  return first === undefined ? {} : { pattern: first.pattern };
}

async function eventsAround(sequence: Sequence, call: string) {
  const askId = sequence.sent(call).outcome?.askId;
  // A grant that holds everywhere stands in the tenant's own stream.
  const all = await sequence.events({});
  return all.filter((event) => event.askId === askId);
}

/** The grant that the answer made, as a rule. */
async function grantOf(sequence: Sequence, call: string): Promise<Record<string, unknown> | null> {
  const made = (await eventsAround(sequence, call)).find(({ type }) => type === 'GrantCreated');
  if (made === undefined) return null;
  return { effect: 'allow', source: sequence.policy.preset.grantSource };
}
