/** Looks at what the steps before have left behind. */
import type { Decision, StoredEvent, Verdict } from '@countersign/contracts';
import { send } from '../system/doors.js';
import type { Observed } from './compare.js';
import { kindsOf } from './look-ups.js';
import type { Sequence } from './sequence.js';
import type { CheckWish } from './sequence-row.js';

type Look = (sequence: Sequence, wish: CheckWish) => Promise<Observed> | Observed;

const CHECKS: Readonly<Record<string, Look>> = {
  ask: (sequence, { call = '' }) => ({
    status: async () => {
      const { status } = await sequence.ask(call);
      return status === 'open' ? 'pending' : status;
    },
    effect: async () => (await sequence.look(call)).decision,
  }),
  audit: (sequence, { call = '' }) => ({ records: async () => recordsOf(await sequence.eventsOf(call)) }),
  chain: async (sequence) => {
    const { body } = await send(`${sequence.stack.approver}/v1/verify`, { key: sequence.keys.auditor });
    const problems = body['problems'] as unknown[] | undefined;
    return { intact: () => problems?.length === 0, firstBad: () => firstBad(sequence, problems) };
  },
  events: (sequence, { call = '' }) => ({
    kinds: async () => (await sequence.eventsOf(call)).flatMap(kindsOf),
    decision: async () => decisionIn(await sequence.eventsOf(call)),
  }),
  explain: async ({ row, stack, keys }, { tool, args }) => {
    const { cwd, roots, home } = row;
    const body = { policy: row.id, calls: [{ tool, args, cwd, roots, home }] };
    const answer = await send(`${stack.approver}/v1/policies/simulate`, { key: keys.admin, body });
    const [item] = (answer.body['items'] ?? []) as { explanation: Record<string, unknown> }[];
    const { riskLevel, explanation, reasoning, risk } = item?.explanation ?? {};
    const shown = { risk_level: riskLevel, explanation, reasoning, risk };
    return {
      explanationKeys: () => Object.entries(shown).flatMap(([key, value]) => (value === undefined ? [] : [key])),
      mentionsSystemPath: () => /system file/i.test(JSON.stringify(shown)),
    };
  },
  hookEvents: (sequence, { call = '' }) => ({
    order: async () => (await hookEvents(sequence, call)).map(({ name }) => name),
    postStatus: async () => (await hookEvents(sequence, call)).at(-1)?.status,
  }),
  metrics: async (sequence) => {
    const { succeeded, failed, cancelled, denied } = (await sequence.state()).counts;
    return {
      failed: () => failed,
      blocked: () => denied,
      toolCalls: () => succeeded + failed + cancelled,
      errors: () => failed,
    };
  },
  policy: (sequence) => ({
    shadowed: () => shadowedIn(sequence),
    warned: () => sequence.warnings.length > 0,
  }),
  validation: async (sequence, { call = '' }) => {
    const { decision } = decidedIn(await sequence.eventsOf(call));
    const invalid = decision.ruleId === 'request.invalid_arguments';
    return { errorKind: () => (invalid ? 'arguments' : 'none'), permissionDenial: () => decision.counted === true };
  },
};

export async function look(sequence: Sequence, wish: CheckWish): Promise<Observed> {
  const check = CHECKS[wish.what];
  if (check === undefined) throw new Error(`no check \`${wish.what}\` is known`);
  return check(sequence, wish);
}

interface Decided {
  readonly verdict: Verdict;
  readonly decision: Decision;
}

function decidedIn(events: readonly StoredEvent[]): Decided {
  const found = events.find(({ type }) => type === 'ToolCallDecided');
  if (found === undefined) throw new Error('the call is not decided');
  return found.body as Decided;
}

function decisionIn(events: readonly StoredEvent[]) {
  const { decision, verdict } = decidedIn(events);
  const winner = verdict.matches.find((match) => match.ruleId === verdict.ruleId && match.effect === verdict.effect);
  return { effect: decision.effect, precedence: winner?.level };
}

/** The three records of the governed runner, told from the events: request, permission, result. */
function recordsOf(events: readonly StoredEvent[]): Record<string, unknown>[] {
  const { body, tool } = events.find(({ type }) => type === 'ToolCallDecided') ?? {};
  const { decision, verdict } = body as Decided;
  const result = events.find(({ type }) => type === 'ToolResultReported')?.body as { status: string } | undefined;
  const rule = verdict.ruleId;
  return [
    { kind: 'request', tool },
    { kind: 'permission', tool, rule, outcome: decision.approvalStatus, reasonPresent: decision.reason !== '' },
    { kind: 'result', tool, rule, outcome: decision.effect === 'deny' ? 'blocked' : result?.status },
  ];
}

/** The place, among the session's events about calls, of the first one that verification found changed; from 1. */
async function firstBad(sequence: Sequence, problems: unknown): Promise<number | null> {
  const [first] = (Array.isArray(problems) ? problems : []) as { streamId?: string; seq?: number | string }[];
  const events = await sequence.events({ session: sequence.sessionId });
  const place = events.filter(({ callId }) => callId !== null).findIndex(({ seq }) => seq === String(first?.seq));
  return place < 0 ? null : place + 1;
}

/**
 * What hooks are told of one call, in the order of the log: before it, of the decision, and of its end. A refused call ends with its
 * decision, so that nothing comes after it.
 */
async function hookEvents(sequence: Sequence, call: string): Promise<{ name: string; status: string }[]> {
  const events = await sequence.eventsOf(call);
  const ran = (moment: string) => events.some(({ type, body }) => type === 'HookRan' && momentOf(body) === moment);
  return events.flatMap(({ type, body }) => {
    if (type === 'HookRan' && momentOf(body) === 'PreToolUse') return [{ name: 'PreToolUse', status: '' }];
    if (type === 'ToolResultReported' && ran('PostToolUse'))
      return [{ name: 'PostToolUse', status: String((body as { status: string }).status) }];
    if (type !== 'ToolCallDecided') return [];
    const denied = (body as Decided).decision.effect === 'deny';
    return [
      { name: 'PermissionDecision', status: '' },
      ...(denied ? [{ name: 'PostToolUse', status: 'blocked' }] : []),
    ];
  });
}

function momentOf(body: unknown): string {
  return String((body as { on?: unknown }).on);
}

async function shadowedIn({ stack, keys, row }: Sequence): Promise<Record<string, unknown>[]> {
  const answer = await send(`${stack.approver}/v1/policies/analyse`, { key: keys.admin, body: { policy: row.id } });
  const found = (answer.body['shadowed'] ?? []) as Record<string, unknown>[];
  return found.map((one) => ({
    ...one,
    reasonPresent: Boolean(one['reason']),
    fixPresent: Boolean(one['fix']),
  }));
}
