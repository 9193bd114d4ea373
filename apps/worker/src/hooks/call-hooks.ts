/** Runs the hooks of calls before they are judged: they are input and output, and a round must not wait for them. */
import { createHash } from 'node:crypto';
import {
  argumentsAt,
  callHashOf,
  inspectJson,
  MAX_SESSION_LINE,
  type CallArguments,
  type ToolCall,
} from '@countersign/contracts';
import type { HookCall, Hooks, SaidBefore } from '@countersign/hooks';
import type { Ledger, Round } from '@countersign/ledger';
import { callKeyOf, callKeyText } from '../rounds/keys.js';
import type { HookedCall, RoundItem } from '../rounds/round-item.js';

export interface CallHooksDeps {
  readonly hooks: Hooks;
  readonly ledger: Pick<Ledger, 'loadRound'> & { readonly calls: Pick<Ledger['calls'], 'byKeys'> };
}

export interface CallHooks {
  /** True when some hook is registered for the call. */
  hasHooks(item: RoundItem): boolean;
  /** The item with what its hooks said. The same item again asks nobody again; calls that are stored already ask nobody. */
  hooked(items: readonly RoundItem[]): Promise<RoundItem[]>;
}

const MOMENTS = ['PreToolUse', 'PermissionRequest'] as const;
const sha256hex = (text: string): string => createHash('sha256').update(text).digest('hex');

export function createCallHooks({ hooks, ledger }: CallHooksDeps): CallHooks {
  /** By item, so that a job that is tried again does not run them again. */
  const asked = new WeakMap<RoundItem, Promise<HookedCall>>();
  /** By call key, so that a call that was sent twice is asked about once. */
  const running = new Map<string, Promise<HookedCall>>();
  const ask = (item: RoundItem): Promise<HookedCall> => {
    const key = `${callKeyText(callKeyOf(item.call))} ${item.call.tool} ${callHashOf(item.call)}`;
    const before = asked.get(item) ?? running.get(key) ?? begin(key, item);
    asked.set(item, before);
    return before;
  };
  const begin = (key: string, { call }: RoundItem): Promise<HookedCall> => {
    // Looked at before the hooks begin: whatever ends the session from then on ends this call too.
    const said = endsOfLine(ledger, call).then(async (ends) => {
      const answers = await hooks.before(hookCallOf(call));
      return hookedCallOf(call, answers, ends);
    });
    running.set(key, said);
    const done = (): void => void running.delete(key);
    said.then(done, done);
    return said;
  };
  return {
    hasHooks: ({ call, guilty }) =>
      guilty !== true && MOMENTS.some((moment) => hooks.hear(moment, { policy: call.opening.policy, tool: call.tool })),
    hooked: async (items) => {
      const rows = await ledger.calls.byKeys(items.map(({ call }) => callKeyOf(call)));
      const stored = new Set(rows.map(({ key }) => callKeyText(key)));
      return Promise.all(
        items.map(async (item) => {
          if (stored.has(callKeyText(callKeyOf(item.call)))) return item;
          return { ...item, hooked: await ask(item) };
        }),
      );
    },
  };
}

/** How often each session of the call's line was cancelled or stopped so far; of an unknown one, never. */
async function endsOfLine(
  ledger: Pick<Ledger, 'loadRound'>,
  { tenantId, sessionId, opening, ancestors }: ToolCall,
): Promise<ReadonlyMap<string, number>> {
  const ends = new Map<string, number>();
  const named = new Map(ancestors.map((one) => [one.sessionId, one.opening.parentId]));
  named.set(sessionId, opening.parentId);
  let current: string | null = sessionId;
  while (current !== null && ends.size <= MAX_SESSION_LINE && !ends.has(current)) {
    const streams = [{ tenantId, streamId: current, knownSeq: null }];
    const { heads }: Round = await ledger.loadRound({ tenants: [], streams, keys: [], hashJoins: [] });
    ends.set(current, heads[0]?.state.ends ?? 0);
    current = heads[0] === undefined ? (named.get(current) ?? null) : heads[0].parentId;
  }
  return ends;
}

function hookCallOf(call: ToolCall): HookCall {
  const { tenantId, sessionId, agent, toolUseId, tool, cwd, args, opening } = call;
  return {
    tenantId,
    sessionId,
    parentId: opening.parentId,
    agent,
    policy: opening.policy,
    callId: call.id,
    toolUseId,
    tool,
    cwd,
    args: args.state === 'ok' ? (JSON.parse(args.json) as HookCall['args']) : null,
  };
}

/** INVARIANT: arguments that cannot be judged are never replaced: what the agent sent stays a recorded deny. */
function hookedCallOf({ args }: ToolCall, said: SaidBefore, endsWhenSent: ReadonlyMap<string, number>): HookedCall {
  const { runs, results, additionalContext, updatedArgs } = said;
  const final = updatedArgs === null || args.state !== 'ok' ? null : rewritten(updatedArgs);
  return { runs, results, additionalContext, finalArgs: final?.hash === args.hash ? null : final, endsWhenSent };
}

/** What a hook gives may be anything that JSON holds, and is checked like what an agent sends. */
function rewritten(updatedArgs: Readonly<Record<string, unknown>>): CallArguments {
  const inspected = inspectJson(JSON.stringify(updatedArgs));
  if (!inspected.ok) throw new Error('JSON of our own is not valid');
  return argumentsAt(inspected, [], sha256hex);
}
