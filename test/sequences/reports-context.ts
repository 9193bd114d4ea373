/** The set-ups of `reports-context.jsonl`: each row describes its own in words; here each is built and its call sent through the doors. */
import { HOOK_DEFAULTS, type HookPlugin, type RegisteredHook } from '@countersign/hooks';
import type { CallOutcome } from '@countersign/contracts';
import { send } from '../system/doors.js';
import { sequenceRowSchema } from './sequence-row.js';
import { Sequence } from './sequence.js';
import { callBody } from './step-call.js';
import type { Stack } from './stack.js';

export interface ContextRow {
  readonly id: string;
  readonly mode: string;
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly why: string;
  readonly expected: { readonly effect: string };
  readonly acceptable?: readonly string[];
}

/** What became of the row's call: the effect, and what else the row says must be seen (a sentence for each that was not). */
export interface ContextResult {
  readonly effect: string;
  readonly flaws: readonly string[];
}

/** The hooks that the rows describe, each heard only under its own row's policy. */
export function contextHooks(): RegisteredHook[] {
  return Object.entries(HOOKS).flatMap(([id, list]) =>
    list.map(({ plugin, onFailure }, place) => ({
      kind: 'plugin' as const,
      plugin,
      terms: { ...HOOK_DEFAULTS, name: `${id}-${place + 1}`, policies: [id], onFailure },
    })),
  );
}

interface WishedHook {
  readonly plugin: HookPlugin;
  readonly onFailure: 'ask' | 'deny' | 'continue';
}

const before = (preToolUse: HookPlugin['preToolUse'], onFailure: WishedHook['onFailure'] = 'ask'): WishedHook => ({
  plugin: { name: 'before', ...(preToolUse === undefined ? {} : { preToolUse }) },
  onFailure,
});
const wantsPerson = before(() => ({ action: 'require_permission' }));
const rewrites = (command: string) => before(() => ({ action: 'mutate', updatedArgs: { command } }));
const crashes = (): never => {
  throw new Error('the hook crashed');
};
const allows: WishedHook = {
  plugin: { name: 'allows', permissionRequest: () => ({ action: 'allow' }) },
  onFailure: 'ask',
};

const HOOKS: Readonly<Record<string, readonly WishedHook[]>> = {
  A46a: [wantsPerson],
  A46b: [allows],
  A46c: [before(() => ({ action: 'block', reason: 'the hook says no' }))],
  // An answer in no form that is known.
  A46d: [before((() => ({ approve: true })) as never, 'continue')],
  A46e: [wantsPerson],
  A47a: [before(crashes, 'deny')],
  A47b: [before(crashes, 'continue')],
  A48b: [rewrites('npm test -- --ci'), before(() => ({ action: 'continue' }))],
  A48c: [rewrites("/opt/stall-guard -c 'rm -rf build'")],
  A48d: [rewrites("/opt/stall-guard -c 'touch a.txt'")],
};

type Build = (sequence: Sequence, row: ContextRow) => Promise<readonly string[]>;
type Look = (sequence: Sequence, outcome: CallOutcome) => Promise<readonly string[]>;

const session = (sequence: Sequence, name: string, body: object) =>
  sequence.agent('POST', `/v1/sessions/${sequence.sessionId}/${name}`, body);
const child = (sequence: Sequence) => sequence.sessionOf('worker');
const flawIf = (wrong: boolean, text: string): string[] => (wrong ? [text] : []);

/** A plan that was approved: the agent goes back to the mode that it came from, and to none that it never had. */
async function leavePlan(sequence: Sequence): Promise<readonly string[]> {
  await session(sequence, 'mode', { mode: 'plan' });
  const planned = await sequence.state();
  await session(sequence, 'mode', { mode: 'default' });
  const { mode } = await sequence.state();
  return [
    ...flawIf(planned.mode !== 'plan', 'the plan was not begun'),
    ...flawIf(mode !== 'default', `mode is ${mode}`),
  ];
}

/** So many questions of this session that a person refused. */
async function refusals(sequence: Sequence, count: number, between: boolean): Promise<readonly string[]> {
  for (let nth = 1; nth <= count; nth += 1) {
    const asked = await call(sequence, { tool: 'Bash', args: { command: `make ${nth}` } }, `earlier-${nth}`);
    const url = `${sequence.stack.approver}/v1/asks/${asked?.askId}/answer`;
    await send(url, { key: sequence.keys.approver, body: { answer: 'reject' } });
    if (between) await call(sequence, { tool: 'Bash', args: { command: `echo ${nth}` } }, `between-${nth}`);
  }
  const { denialsTotal } = await sequence.state();
  return flawIf(denialsTotal !== count, `${denialsTotal} denials, expected ${count}`);
}

const BUILDS: Readonly<Record<string, Build>> = {
  A42d: leavePlan,
  A42f: async (sequence) => {
    const flaws = await leavePlan(sequence);
    const { status } = await session(sequence, 'mode', { mode: 'bypassPermissions' });
    return [...flaws, ...flawIf(status !== 403, `bypassing was answered ${status}`)];
  },
  A43d: (sequence) => refusals(sequence, 20, true),
  A43e: (sequence) => refusals(sequence, 2, false),
  A49a: async (sequence) => {
    const { status } = await sequence.openSession(child(sequence), { agent: 'worker', parentId: sequence.sessionId });
    return flawIf(status !== 201, `the child was answered ${status}`);
  },
  A49c: async (sequence) => {
    const wish = { agent: 'worker', parentId: sequence.sessionId };
    const loose = await sequence.openSession(child(sequence), { ...wish, mode: 'bypassPermissions' });
    const { status } = await sequence.openSession(child(sequence), wish);
    return [
      ...flawIf(loose.status !== 403, `a looser child was answered ${loose.status}`),
      ...flawIf(status !== 201, `the child was answered ${status}`),
    ];
  },
};

/** What the row's own words want to be seen afterwards. */
const LOOKS: Readonly<Record<string, Look>> = {
  A41c: async (sequence, { askId }) => {
    const { body } = await sequence.people('GET', '/v1/asks?status=open');
    const items = (body as unknown as { items: { id: string }[] }).items;
    return flawIf(!items.some(({ id }) => id === askId), 'no person is asked');
  },
  A43e: async (sequence) => {
    const { denialsInRow } = await sequence.state();
    return flawIf(denialsInRow !== 0, `${denialsInRow} denials in a row remain`);
  },
  A46d: failureRecorded('malformed'),
  A47a: failureRecorded('error'),
  A47b: failureRecorded('error'),
  A48b: async (_sequence, { updatedInput }) =>
    flawIf(
      (updatedInput as { command?: string } | undefined)?.command !== 'npm test -- --ci',
      `it would run ${JSON.stringify(updatedInput)}`,
    ),
};

function failureRecorded(failure: string): Look {
  return async (sequence) => {
    const runs = await sequence.events({ session: sequence.sessionId, type: 'HookRan' });
    const failures = runs.map(({ body }) => (body as { failure: string | null }).failure);
    return flawIf(!failures.includes(failure), `the hook's failure is not recorded: ${JSON.stringify(failures)}`);
  };
}

/** Whoever the row's call comes from, and under which name its MCP server is registered. */
const CALLERS: Readonly<Record<string, object>> = {
  A49a: { agent: 'worker' },
  A49c: { agent: 'worker' },
  A50h: { mcpServer: 'foo.bar' },
  A50i: { mcpServer: 'evil__foo' },
};

/** Where twenty refusals in all must not stop the session: what is asked is whether the next call still reaches a person. */
const POLICIES: Readonly<Record<string, object>> = {
  A43d: { breaker: { inARow: 3, total: 100, counts: ['policy', 'person'] } },
  A44c: { sandbox: 'commands' },
};

/** Builds the row's set-up and sends its call. */
export async function runContext(stack: Stack, row: ContextRow): Promise<ContextResult> {
  const { policy } = row as unknown as { policy: object };
  const set = { ...row, policy: { ...policy, ...POLICIES[row.id] }, steps: [] };
  const sequence = await Sequence.open(stack, sequenceRowSchema.parse(set));
  const flaws = [...((await BUILDS[row.id]?.(sequence, row)) ?? [])];
  const outcome = await call(sequence, row, 'the-call', CALLERS[row.id]);
  if (outcome === null) return { effect: 'refused at the door', flaws };
  const seen = (await LOOKS[row.id]?.(sequence, outcome)) ?? [];
  return { effect: outcome.decision === 'pending' ? 'ask' : outcome.decision, flaws: [...flaws, ...seen] };
}

async function call(
  sequence: Sequence,
  { tool, args }: Pick<ContextRow, 'tool' | 'args'>,
  id: string,
  caller: { agent?: string } & object = {},
): Promise<CallOutcome | null> {
  const wish = { id, tool, args, ...(caller.agent === undefined ? {} : { context: { agent: caller.agent } }) };
  const answer = await sequence.agent('POST', '/v1/tool-calls', { ...callBody(sequence, wish), ...caller });
  return answer.status === 200 ? (answer.body as CallOutcome) : null;
}
