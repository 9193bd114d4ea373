/** An ask as the engine sees it: the call, the policy and the facts, to suggest grants and to judge edited arguments. */
import { sessionFacts, type OpenedAsk, type SessionState } from '@countersign/approval';
import { DoorError, type AskView, type CallArguments, type Facts, type Verdict } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import { compilePolicy, evaluate, type CompiledPolicy, type EngineCall } from '@countersign/policy';

export interface AskScene {
  readonly opened: OpenedAsk;
  readonly policy: CompiledPolicy;
  readonly call: EngineCall;
  readonly facts: Facts;
}

/** Compiled policies by hash. Documents never change, so nothing here goes stale. */
const compiled = new Map<string, CompiledPolicy>();
const MAX_COMPILED = 32;

/** The ask as it was judged; null for an unknown ask, and where its policy cannot be used. */
export async function sceneWhenAsked(ledger: Ledger, tenantId: string, askId: string): Promise<AskScene | null> {
  const opened = (await ledger.asks.opened(tenantId, [askId]))[askId];
  if (opened === undefined) return null;
  const { basis, request } = opened;
  const stored = await ledger.policies.byHash(tenantId, basis.policyHash);
  const policy = stored === null ? null : compileOnce(stored);
  if (policy === null) return null;
  const facts = { ...basis.facts, resolvedPaths: request.resolvedPaths };
  return { opened, policy, call: engineCallOf(opened, opened.finalArgs ?? request.args), facts };
}

/**
 * What the engine says of other arguments for the same call, by the policy and the session as they are now. Evidence on paths that
 * the call did not have is missing, so where it is needed the engine asks, and the person who edits has just answered.
 */
export async function judgeEdited(
  ledger: Ledger,
  tenantId: string,
  ask: AskView,
  args: CallArguments,
): Promise<Verdict> {
  const opened = (await ledger.asks.opened(tenantId, [ask.id]))[ask.id];
  if (opened === undefined) throw new DoorError('ask.unknown');
  const { basis, request } = opened;
  const current = await ledger.policies.current(tenantId, basis.policyName);
  const policy = current === null ? null : compileOnce(current);
  if (policy === null) throw new DoorError('ask.edit_denied', 'there is no policy to judge the edited arguments by');
  const { now, line } = await lineNow(ledger, tenantId, ask.path);
  const own = line.at(-1);
  const session = own === undefined ? basis.facts.session : sessionFacts(own, line.slice(0, -1));
  const facts: Facts = {
    ...basis.facts,
    now,
    session: { ...session, mode: basis.facts.session.mode, grants: [] },
    resolvedPaths: request.resolvedPaths,
  };
  return evaluate(engineCallOf(opened, args), policy, facts);
}

/** States from the root down to the session that asks. */
async function lineNow(
  ledger: Ledger,
  tenantId: string,
  path: readonly string[],
): Promise<{ now: string; line: SessionState[] }> {
  const streams = path.map((streamId) => ({ tenantId, streamId, knownSeq: null }));
  const { now, heads } = await ledger.loadRound({ tenants: [], streams, keys: [], hashJoins: [] });
  const line = path.flatMap((id) => heads.find(({ streamId }) => streamId === id)?.state ?? []);
  return { now, line };
}

function compileOnce({ hash, document }: { hash: string; document: Parameters<typeof compilePolicy>[0] }) {
  const known = compiled.get(hash);
  if (known !== undefined) return known;
  const result = compilePolicy(document);
  if (!result.ok) return null;
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  compiled.set(hash, result.policy);
  return result.policy;
}

function engineCallOf({ request }: OpenedAsk, args: CallArguments): EngineCall {
  const { tool, cwd, placeHash } = request;
  // The mode that was judged by stands in the facts.
  const base = { tool, cwd, argsHash: args.hash, placeHash, reportedMode: null };
  if (args.state === 'invalid') return { ...base, args: undefined, problem: args.problem };
  return { ...base, args: JSON.parse(args.json) as unknown, problem: null };
}
