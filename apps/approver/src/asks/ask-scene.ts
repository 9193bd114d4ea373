/** An ask as the engine sees it: the call, the policy and the facts, to suggest grants and to judge edited arguments. */
import { factsNow, type OpenedAsk, type SessionState } from '@countersign/approval';
import {
  DoorError,
  policyDocumentSchema,
  type AskView,
  type CallArguments,
  type Facts,
  type Verdict,
} from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import {
  compilePolicy,
  engineCallOf,
  evaluate,
  evaluateRecorded,
  type CompiledPolicy,
  type EngineCall,
} from '@countersign/policy';

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
  return { opened, policy, call: engineCallOf(request, opened.finalArgs ?? request.args), facts };
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
  const current = await ledger.policies.current(tenantId, opened.basis.policyName);
  const policy = current === null ? null : compileOnce(current);
  if (policy === null) throw new DoorError('ask.edit_denied', 'there is no policy to judge the edited arguments by');
  const present = await lineNow(ledger, tenantId, ask.path);
  return evaluate(
    engineCallOf(opened.request, args),
    policy,
    factsNow(opened, { ...present, policy: policy.document, grants: [] }),
  );
}

/** A policy that says nothing: where none is published any more, only the session can have been tightened. */
const NO_POLICY = policyDocumentSchema.parse({});

/**
 * Why the call of an open ask is denied by the policy and the session as they are now; null: it is not. What is stored of a call
 * with secrets is not what was judged, so such a call is denied only where its stored form was not denied when it was asked about.
 */
export async function deniedByNow(ledger: Ledger, tenantId: string, ask: AskView): Promise<string | null> {
  const opened = (await ledger.asks.opened(tenantId, [ask.id]))[ask.id];
  if (opened === undefined) return null;
  const current = await ledger.policies.current(tenantId, opened.basis.policyName);
  const policy = compileOnce(current ?? { hash: '', document: NO_POLICY });
  if (policy === null) return 'the policy cannot be used';
  const present = await lineNow(ledger, tenantId, ask.path);
  const verdict = evaluateRecorded(
    opened,
    policy,
    factsNow(opened, { ...present, policy: policy.document, grants: [] }),
  );
  if (verdict.effect !== 'deny') return null;
  return (await wasDeniedAsStored(ledger, tenantId, ask.id)) ? null : verdict.reason;
}

async function wasDeniedAsStored(ledger: Ledger, tenantId: string, askId: string): Promise<boolean> {
  const before = await sceneWhenAsked(ledger, tenantId, askId);
  if (before === null || before.opened.request.redaction === undefined) return false;
  return evaluateRecorded(before.opened, before.policy, before.facts).effect === 'deny';
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
