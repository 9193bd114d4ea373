/** An ask as the engine sees it: the call, the policy and the facts, to suggest grants and to judge edited arguments. */
import { factsNow, type OpenedAsk, type SessionState } from '@countersign/approval';
import {
  DoorError,
  escapeForDisplay,
  policyDocumentSchema,
  type CallArguments,
  type Facts,
  type Verdict,
} from '@countersign/contracts';
import type { Ledger, WholeAsk } from '@countersign/ledger';
import {
  compilePolicy,
  engineCallOf,
  evaluate,
  evaluateRecorded,
  grantPatternProblem,
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

/** The ask as it was judged; null where its policy cannot be used. */
export async function sceneOf(ledger: Ledger, tenantId: string, opened: OpenedAsk): Promise<AskScene | null> {
  const { basis, request } = opened;
  const stored = await ledger.policies.byHash(tenantId, basis.policyHash);
  const policy = stored === null ? null : compileOnce(stored);
  if (policy === null) return null;
  const facts = { ...basis.facts, resolvedPaths: request.resolvedPaths };
  return { opened, policy, call: engineCallOf(request, opened.finalArgs ?? request.args), facts };
}

/** An ask as the policy and the session are at this moment. `policy`: that of now; `none` is published any more, or it cannot be used. */
export interface SceneNow {
  readonly opened: OpenedAsk;
  readonly policy: CompiledPolicy | 'none' | 'unusable';
  readonly facts: Facts;
  /** ISO-8601 UTC, the database's clock. */
  readonly now: string;
  /** First root of the session; null: it has none. */
  readonly root: string | null;
}

/** A policy that says nothing: where none is published any more, only the session can have been tightened. */
const NO_POLICY = policyDocumentSchema.parse({});

/** What an approval is judged by, read once. */
export async function sceneNow(ledger: Ledger, tenantId: string, { view, opened }: WholeAsk): Promise<SceneNow> {
  const [current, { now, line }] = await Promise.all([
    ledger.policies.current(tenantId, opened.basis.policyName),
    lineNow(ledger, tenantId, view.path),
  ]);
  const policy = current === null ? 'none' : (compileOnce(current) ?? 'unusable');
  const document = typeof policy === 'string' ? NO_POLICY : policy.document;
  const facts = factsNow(opened, { now, line, policy: document, grants: [] });
  return { opened, policy, facts, now, root: line.at(-1)?.roots[0] ?? null };
}

/**
 * What the engine says of other arguments for the same call. Evidence on paths that the call did not have is missing, so where it is
 * needed the engine asks, and the person who edits has just answered.
 */
export function judgeEdited({ opened, policy, facts }: SceneNow, args: CallArguments): Verdict {
  if (typeof policy === 'string')
    throw new DoorError('ask.edit_denied', 'there is no policy to judge the edited arguments by');
  return evaluate(engineCallOf(opened.request, args), policy, facts);
}

/**
 * Why the call of an open ask is denied by now; null: it is not. What is stored of a call with secrets is not what was judged, so such
 * a call is denied only where its stored form was not denied when it was asked about.
 */
export async function deniedByNow(ledger: Ledger, tenantId: string, scene: SceneNow): Promise<string | null> {
  const { opened, facts } = scene;
  const policy = policyOf(scene);
  if (policy === null) return 'the policy cannot be used';
  const verdict = evaluateRecorded(opened, policy, facts);
  if (verdict.effect !== 'deny') return null;
  return (await wasDeniedAsStored(ledger, tenantId, opened)) ? null : verdict.reason;
}

/** Throws `grant.invalid` for a pattern that may not become a grant for what runs: `args`, or what was asked about. */
export function checkGrantPattern(scene: SceneNow, pattern: string, args: CallArguments | null): void {
  const { request, finalArgs } = scene.opened;
  const call = engineCallOf(request, args ?? finalArgs ?? request.args);
  const policy = policyOf(scene);
  const problem = policy === null ? null : grantPatternProblem(call, pattern, policy, scene.facts);
  if (problem !== null) throw new DoorError('grant.invalid', escapeForDisplay(problem));
}

/** Null: nothing can be judged by it, and so nothing is approved. */
function policyOf({ policy }: SceneNow): CompiledPolicy | null {
  if (policy === 'unusable') return null;
  return policy === 'none' ? compileOnce({ hash: '', document: NO_POLICY }) : policy;
}

async function wasDeniedAsStored(ledger: Ledger, tenantId: string, opened: OpenedAsk): Promise<boolean> {
  if (opened.request.redaction === undefined) return false;
  const before = await sceneOf(ledger, tenantId, opened);
  return before !== null && evaluateRecorded(opened, before.policy, before.facts).effect === 'deny';
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
