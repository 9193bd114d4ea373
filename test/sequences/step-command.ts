/** Commands of a sequence: what the session's owner and the agent's own loop send. */
import { send, type Answer } from '../system/doors.js';
import type { Observed } from './compare.js';
import { auditRows, hookNames, kindsOf, permitOf } from './look-ups.js';
import { LEAD, type Sequence } from './sequence.js';
import type { CommandWish } from './sequence-row.js';

type Run = (sequence: Sequence, wish: CommandWish) => Promise<Answer>;

/** A grant that no ask was the reason for says which questions it answers: those of the governed runner. */
const QUESTIONS = ['path.write_requires_approval', 'bash.requires_approval'];

const COMMANDS: Readonly<Record<string, Run>> = {
  sessionStart: (sequence) => sequence.openSession(sequence.sessionId, {}),
  sessionStop: (sequence) => onSession(sequence, 'stop', {}),
  newTurn: (sequence) => onSession(sequence, 'prompts', { text: 'and now the next one' }),
  cancel: async (sequence) => {
    await sequence.executor();
    return onSession(sequence, 'cancel', {});
  },
  step: (sequence, { step, newInformation, completed }) =>
    onSession(sequence, 'steps', { step, newInformation, completed }),
  tokens: (sequence, { tokens }) => onSession(sequence, 'usage', { tokens }),
  compaction: (sequence, { ok, phase }) => onSession(sequence, 'compactions', { ok, phase }),
  setMode: (sequence, { mode }) => asOwner(sequence, 'mode', { mode }),
  nextMode: (sequence) => asOwner(sequence, 'mode/next', {}),
  addRule: (sequence, { effect, rule, reason }) =>
    asOwner(sequence, 'rules', { [String(effect)]: [{ rule, reason: reason ?? '' }] }),
  removeRule: async (sequence, { effect, rule }) => {
    const { rules } = await sequence.state();
    const gone = rules.filter((one) => one.effect === effect && one.pattern === rule).map(({ id }) => id);
    return asOwner(sequence, 'rules', { remove: gone });
  },
  resetBreaker: (sequence) => asOwner(sequence, 'reset-breaker', {}),
  subagentStart: (sequence, { agent, allowedTools }) =>
    sequence.openSession(sequence.sessionOf(String(agent)), {
      agent,
      parentId: sequence.sessionId,
      ...(allowedTools === undefined ? {} : { tools: allowedTools }),
    }),
  subagentStop: (sequence, { agent }) =>
    sequence.agent('POST', `/v1/sessions/${sequence.sessionOf(String(agent))}/stop`, {}),
  redeemPermit: (sequence, { call, args }) => redeem(sequence, String(call), args),
  addGrant: (sequence, { rule, uses }) =>
    send(`${sequence.stack.approver}/v1/grants`, {
      key: sequence.keys.admin,
      body: { pattern: rule, uses, lifts: QUESTIONS },
    }),
  tamper: (sequence, { event }) => tamper(sequence, Number(event)),
  crashWorker: async (sequence) => {
    await sequence.stack.crashWorker();
    return { status: 200, body: {} };
  },
};

export async function runCommand(sequence: Sequence, wish: CommandWish): Promise<Observed> {
  const run = COMMANDS[wish.name];
  if (run === undefined) throw new Error(`no command \`${wish.name}\` is known`);
  const before = (await sequence.events({ session: sequence.sessionId })).length;
  const answer = await run(sequence, wish);
  return observed(sequence, { wish, answer, before });
}

function onSession(sequence: Sequence, name: string, body: object): Promise<Answer> {
  return sequence.agent('POST', `/v1/sessions/${sequence.sessionId}/${name}`, body);
}

function asOwner(sequence: Sequence, name: string, body: object): Promise<Answer> {
  return sequence.owner('POST', `/v1/sessions/${sequence.sessionId}/${name}`, body);
}

async function redeem(sequence: Sequence, call: string, args: unknown): Promise<Answer> {
  const looked = await sequence.agent('GET', `/v1/tool-calls/${sequence.callId(call)}?permit=true`);
  const { permit } = looked.body as { permit?: string };
  const { wish } = sequence.sent(call);
  return sequence.agent('POST', '/v1/permits/redeem', { permit, tool: wish.tool, args, cwd: sequence.row.cwd });
}

/** Changes a stored event behind everybody's back, as the owner of the tables; positions count from 1 in the session's stream. */
async function tamper(sequence: Sequence, place: number): Promise<Answer> {
  const { rowCount } = await sequence.stack.owner.query(
    `UPDATE events SET body = replace(body, '{', '{ ') WHERE tenant_id = $1 AND stream_id = $2 AND seq = (
       SELECT seq FROM events WHERE tenant_id = $1 AND stream_id = $2 AND call_id IS NOT NULL
       ORDER BY seq OFFSET $3 LIMIT 1)`,
    [sequence.row.id, sequence.sessionId, place - 1],
  );
  return { status: rowCount === 1 ? 200 : 500, body: {} };
}

interface Seen {
  readonly wish: CommandWish;
  readonly answer: Answer;
  readonly before: number;
}

/** The permits' refusals by the seed's names; which of the checks failed stands in the details. */
function codeOf({ body }: Answer): string | undefined {
  const code = body.error?.code;
  if (code === 'permit.redeemed') return 'permit.used';
  const reason = body.error?.details?.['reason'];
  return code === 'permit.refused' && reason === 'other_arguments' ? 'permit.args_mismatch' : code;
}

function observed(sequence: Sequence, { wish, answer, before }: Seen): Observed {
  const { body } = answer;
  const session = sequence.sessionOf(typeof wish['agent'] === 'string' ? wish['agent'] : LEAD);
  const injected = () => (body['injected'] ?? []) as { role: string; content: string }[];
  const since = async () => (await sequence.events({ session: sequence.sessionId })).slice(before);
  return {
    ok: () => answer.status < 300,
    code: () => codeOf(answer),
    mode: () => body['mode'],
    directive: () => body['directive'],
    directiveOneOf: () => body['directive'],
    level: () => body['level'],
    levelAtLeast: () => body['level'],
    summary: () => body['summary'] !== null && body['summary'] !== undefined,
    autoCompaction: () => body['autoCompaction'],
    injected: (expected) =>
      expected === true
        ? injected().length > 0
        : injected().map(({ role, content }, place) => ({ role, contains: part(content, expected, place) })),
    injectedText: () =>
      injected()
        .map(({ content }) => content)
        .join('\n'),
    event: async () => (await since()).flatMap(kindsOf),
    cancelledCleared: async () => !(await sequence.state()).cancelled,
    silent: () => body['silent'],
    // A child session is opened with nothing of its parent's conversation: the service holds none.
    inheritsMessages: () => 'messages' in body,
    audit: async () => (await auditRows(sequence)).at(-1),
    hookCalled: (expected) => hookNames(sequence, session, expected),
    permit: () => permitOf(null),
  };
}

/** The text that the row wants to find, when it is there. */
function part(content: string, expected: unknown, place: number): string {
  const wanted = (expected as { contains?: string }[])[place]?.contains ?? '';
  return content.includes(wanted) ? wanted : content;
}
