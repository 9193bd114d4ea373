/** Decides the calls of one family in order, in memory: each call sees what the ones before it made of the session. */
import {
  callHashOf,
  type Basis,
  type Facts,
  type ResolvedPaths,
  type SessionEvent,
  type ToolCall,
  type Verdict,
} from '@countersign/contracts';
import {
  childAskEvents,
  childDenialEvents,
  decideCall,
  effectiveMode,
  mcpChecks,
  grantsWithin,
  openedState,
  progressOf,
  sessionFacts,
  sessionStarted,
  type CallResult,
  type PriorCall,
  type SessionState,
  type StartTerms,
} from '@countersign/approval';
import type { VaultEntry } from '@countersign/ledger';
import { trustedEvidence, evaluate, evaluateRewritten } from '@countersign/policy';
import { timeOrderedId, type VaultKeys } from '@countersign/server';
import { hookedInput, hookFacts } from '../hooks/hooked-input.js';
import { limitsOf } from '../policies/loop-limits.js';
import type { RoundPolicy } from '../policies/policy-cache.js';
import type { EngineCalls } from './engine-call.js';
import { parentInView, sessionLine, type ParentOf } from './family.js';
import { DEFAULT_POLICY, fixedDeny } from './fixed-verdict.js';
import { callKeyOf, callKeyText, sameCallText, streamKey } from './keys.js';
import { redactCall, type JudgeForm } from './redact-call.js';
import type { RoundItem, Settled, StoppedSession } from './round-item.js';
import type { RoundView } from './round-view.js';
import { StreamDraft } from './stream-draft.js';
import { countUses, killOn, tenantGrants, type UsedGrants } from './tenant-facts.js';

/** What deciding needs besides the view: prepared calls, policies and the evidence of this host. */
export interface DraftInput {
  readonly view: RoundView;
  readonly policyOf: (tenantId: string, name: string) => RoundPolicy;
  readonly engineCall: (item: RoundItem) => EngineCalls;
  /** What this host knows of the call's paths; nothing for agents on other hosts. */
  readonly evidenceOf: (item: RoundItem) => ResolvedPaths;
  readonly surroundings: Surroundings;
  /** Tags secrets and seals originals. */
  readonly vaultKeys: VaultKeys;
  /** Tells of a call that broke the engine or the core; the call becomes a recorded deny. */
  readonly onFault: (call: ToolCall, error: unknown) => void;
  /** True for a call that broke its unit: it is recorded as `internal.error` without being judged. */
  readonly isGuilty: (item: RoundItem) => boolean;
}

/** What the worker knows of its own host. */
export interface Surroundings {
  readonly protectedPaths: readonly string[];
  readonly platform: string;
}

/** A family's decisions, not stored yet. */
export interface FamilyDraft {
  readonly items: readonly RoundItem[];
  readonly tenantId: string;
  /** The epochs of the policies that were judged by; when they differ, one of them is stale and the append refuses. */
  readonly epochs: readonly number[];
  /** In the order in which they are appended; those without events were only read. */
  readonly streams: StreamDraft[];
  readonly settled: Settled[];
  readonly stopped: StoppedSession[];
  /** Sealed originals of the calls that were redacted. */
  readonly vault: readonly VaultEntry[];
}

interface Working {
  readonly input: DraftInput;
  readonly streams: Map<string, StreamDraft>;
  /** Calls of this very round; those from before stand in the view. */
  readonly priors: Map<string, PriorCall>;
  readonly unfinished: Map<string, PriorCall>;
  /** Streams whose breaker is open while asks may be. */
  readonly stopped: Set<StreamDraft>;
  readonly epochs: Set<number>;
  readonly usedGrants: UsedGrants;
  readonly vault: VaultEntry[];
  /** Calls that are still to come. */
  left: number;
}

export function draftFamily(items: readonly RoundItem[], input: DraftInput): FamilyDraft {
  const working: Working = {
    input,
    streams: new Map(),
    priors: new Map(),
    unfinished: new Map(),
    stopped: new Set(),
    epochs: new Set(),
    usedGrants: new Map(),
    vault: [],
    left: items.length,
  };
  const settled = items.map((item) => ({ item, outcome: decideOne(item, working) }));
  const tenantId = items[0]?.call.tenantId ?? '';
  const stopped = [...working.stopped].map(({ head }) => ({ tenantId: head.tenantId, sessionId: head.streamId }));
  return {
    items,
    tenantId,
    epochs: [...working.epochs],
    streams: [...working.streams.values()],
    settled,
    stopped,
    vault: working.vault,
  };
}

function decideOne(item: RoundItem, working: Working): Settled['outcome'] {
  const { call } = item;
  working.left -= 1;
  const line = sessionLine(call, parentInDraft(call.tenantId, working)).map((id) =>
    streamOf(working, call.tenantId, id),
  );
  const own = line.pop() ?? streamOf(working, call.tenantId, call.sessionId);
  const guilty = working.input.isGuilty(item);
  try {
    return apply(working, { call, own, above: line, made: decide(working, item, { own, above: line, guilty }) });
  } catch (error) {
    if (guilty) throw error;
    working.input.onFault(call, error);
    return apply(working, { call, own, above: line, made: decide(working, item, { own, above: line, guilty: true }) });
  }
}

/** Parents as the calls before this one left them. */
function parentInDraft(tenantId: string, { streams, input }: Working): ParentOf {
  const stored = parentInView(tenantId, input.view);
  return (sessionId) => {
    const draft = streams.get(streamKey(tenantId, sessionId));
    return draft?.state ? draft.parentId : stored(sessionId);
  };
}

function streamOf(working: Working, tenantId: string, streamId: string): StreamDraft {
  const key = streamKey(tenantId, streamId);
  const open = working.streams.get(key);
  if (open) return open;
  const head = working.input.view.heads.get(key) ?? { tenantId, streamId, seq: 0, parentId: null, state: null };
  const draft = new StreamDraft(head);
  working.streams.set(key, draft);
  return draft;
}

/** What was decided on one call, with the openings that must come before it and the policy it was decided under. */
interface Made {
  readonly openings: { stream: StreamDraft; event: SessionEvent }[];
  readonly call: ToolCall;
  readonly result: CallResult;
  readonly policy: RoundPolicy;
  /** Sealed originals of what was redacted. */
  readonly vault: readonly VaultEntry[];
}

interface Place {
  readonly own: StreamDraft;
  /** Root first. */
  readonly above: readonly StreamDraft[];
}

function decide(working: Working, item: RoundItem, place: Place & { guilty: boolean }): Made {
  const { input } = working;
  const { call } = item;
  const policy = input.policyOf(call.tenantId, place.own.state?.opening?.policy ?? call.opening.policy);
  const document = policy.state === 'usable' ? policy.document : DEFAULT_POLICY;
  const terms = { childAsks: document.childAsks, at: input.view.now };
  const { ancestors, openings } = openAncestors(call, place.above, terms);
  const state = place.own.state ?? openedState(call, ancestors, terms);
  const limits = limitsOf(policy);
  const judgedCall = { ...call, resolvedPaths: trustedEvidence(call.resolvedPaths, input.evidenceOf(item)) };
  const session = sessionFacts(state, ancestors);
  const kill = killOn(call, input.view, state, ancestors);
  const everywhere = grantsWithin(tenantGrants(call.tenantId, input.view, working.usedGrants), session.roots);
  const told: Basis['facts'] = {
    now: input.view.now,
    session: {
      progress: progressOf(state, call, limits.stepsWithoutNews),
      ...session,
      mode: effectiveMode(state, call, document, ancestors),
      ...(everywhere.length === 0 ? {} : { grants: [...session.grants, ...everywhere] }),
      ...(kill === null ? {} : { kill }),
    },
    protectedPaths: [...input.surroundings.protectedPaths],
    platform: call.sameHost ? input.surroundings.platform : platformOf(call),
    ...checkFacts(call),
    ...hookFacts(item.hooked),
  };
  const facts: Facts = { resolvedPaths: judgedCall.resolvedPaths, ...told };
  const basis = basisOf(policy, told, place);
  const judged = { call: judgedCall, engine: engineOf(item, place.guilty, input), hooked: item.hooked, basis };
  const storable = redactCall(judged, judgeBy(policy, facts), input.vaultKeys);
  const result = decideCall({
    state: place.own.state,
    call: storable.call,
    verdict: storable.verdict,
    basis: storable.basis,
    policy: document,
    newAskId: `ask_${timeOrderedId()}`,
    prior: priorOf(call, working),
    ancestors,
    tenantGrants: everywhere,
    killed: kill !== null,
    limits,
    ...hookedInput(storable.hooked),
  });
  // What holds for the tenant was read under the view's epoch, the policy perhaps under a later one: both must still be true.
  working.epochs.add(policy.epoch).add(input.view.epochs.get(call.tenantId) ?? 0);
  return { openings, call, result, policy, vault: storable.vault };
}

/** What is to be said of the tool itself; nothing for most. */
function checkFacts(call: ToolCall): Pick<Facts, 'toolChecks'> {
  const toolChecks = mcpChecks(call);
  return toolChecks.length === 0 ? {} : { toolChecks };
}

/** States of the ancestors, root first; unknown ones as the call opens them. */
function openAncestors(call: ToolCall, above: readonly StreamDraft[], terms: StartTerms) {
  const ancestors: SessionState[] = [];
  const openings: Made['openings'] = [];
  const owned = above.every(({ state }) => state === null || state.keyId === call.keyId);
  for (const stream of above) {
    if (stream.state !== null) {
      ancestors.push(stream.state);
      continue;
    }
    const sessionId = stream.head.streamId;
    const named = call.ancestors.find((one) => one.sessionId === sessionId)?.opening;
    const opening = named ?? { ...call.opening, parentId: null };
    const session = { sessionId, keyId: call.keyId, opening };
    // Below a session of another key nothing is opened: the call is denied.
    if (owned) openings.push({ stream, event: sessionStarted(session, ancestors, terms) });
    ancestors.push(openedState(session, ancestors, terms));
  }
  return { ancestors, openings };
}

function verdictOf(policy: RoundPolicy, { original, final }: EngineCalls, facts: Facts): Verdict {
  if (policy.state === 'unusable') return fixedDeny(policy.ruleId, policy.reason, facts.session.mode);
  if (final !== null) return evaluateRewritten({ original, final }, policy.compiled, facts);
  return evaluate(original, policy.compiled, facts);
}

/** Null: the call is recorded without being judged. */
function engineOf(item: RoundItem, guilty: boolean, { engineCall }: DraftInput): EngineCalls | null {
  return guilty ? null : engineCall(item);
}

function judgeBy(policy: RoundPolicy, facts: Facts): JudgeForm {
  return (engine) => (engine === null ? guiltyVerdict(facts) : verdictOf(policy, engine, facts));
}

function guiltyVerdict(facts: Facts): Verdict {
  return fixedDeny('internal.error', 'an unexpected error; it was logged', facts.session.mode);
}

function basisOf(policy: RoundPolicy, facts: Basis['facts'], { own, above }: Place): Basis {
  const seqs = Object.fromEntries([...above, own].map((stream) => [stream.head.streamId, stream.seq]));
  return { policyName: policy.name, policyHash: policy.hash, epoch: policy.epoch, seqs, facts };
}

function priorOf(call: ToolCall, working: Working): PriorCall | null {
  const { view } = working.input;
  const isFirst = working.priors.size === 0 && view.priors.size === 0;
  if (isFirst && !call.joinsByHash) return null;
  const key = callKeyText(callKeyOf(call));
  const byKey = working.priors.get(key) ?? view.priors.get(key) ?? null;
  if (byKey !== null || !call.joinsByHash) return byKey;
  const same = sameCallText(call, callHashOf(call));
  return working.unfinished.get(same) ?? view.unfinished.get(same) ?? null;
}

/** Takes a decision into the drafts. */
function apply(working: Working, at: Place & { call: ToolCall; made: Made }): Settled['outcome'] {
  const { call, own, above, made } = at;
  const { result } = made;
  if (result.kind === 'joined') return result.outcome;
  for (const { stream, event } of made.openings) stream.add([event]);
  own.add(result.events);
  if (result.events.some(holdsRequest)) working.vault.push(...made.vault);
  countUses(working.usedGrants, result.events);
  countInRoot(above[0], made, own);
  tellRoot(above[0], made, own);
  if (result.unended.length > 0) working.stopped.add(own);
  for (const stream of [own, above[0]]) if (stream?.events.some(opensBreaker)) working.stopped.add(stream);
  if (working.left > 0) remember(working, call, result.outcome);
  return result.outcome;
}

/** A counted denial of a subagent counts in the total of its root too, and may open the root's breaker. */
function countInRoot(root: StreamDraft | undefined, { call, result, policy }: Made, own: StreamDraft): void {
  if (!root?.state || result.kind === 'joined') return;
  if ((own.state?.parentId ?? null) === null) return;
  const counted = result.events.some((event) => event.type === 'ToolCallDecided' && event.body.decision.counted);
  if (!counted) return;
  const limits = (policy.state === 'usable' ? policy.document : DEFAULT_POLICY).breaker;
  root.add(childDenialEvents(root.state, { sessionId: call.sessionId, callId: call.id }, limits));
}

/** A subagent's questions count in the caps of its root. */
function tellRoot(root: StreamDraft | undefined, { call, result }: Made, own: StreamDraft): void {
  if (!root?.state || result.kind === 'joined' || (own.state?.parentId ?? null) === null) return;
  root.add(childAskEvents(call.sessionId, result.events));
}

/** Originals are kept with the event that records their call. */
function holdsRequest({ type }: SessionEvent): boolean {
  return type === 'ToolCallDecided' || type === 'AskOpened' || type === 'AskJoined';
}

function opensBreaker(event: SessionEvent): boolean {
  return event.type === 'BreakerOpened';
}

/** Later calls of the round join this one as they would join a stored one. The first call keeps its key. */
function remember(working: Working, call: ToolCall, outcome: Settled['outcome']): void {
  const key = callKeyText(callKeyOf(call));
  const taken = working.priors.has(key) || working.input.view.priors.has(key);
  if (taken || outcome.ruleId === 'auth.not_own_session') return;
  const status = outcome.decision === 'pending' ? 'open' : 'decided';
  const { id: callId, tool } = call;
  const callHash = callHashOf(call);
  const prior: PriorCall = { callId, tool, callHash, status, askId: outcome.askId ?? null, outcome };
  working.priors.set(key, prior);
  working.unfinished.set(sameCallText(call, callHash), prior);
}

/** The agent's platform as its folder tells: a drive letter or a UNC path means Windows. */
function platformOf({ cwd }: ToolCall): string {
  return cwd !== null && /^([A-Za-z]:[\\/]|\\\\)/.test(cwd) ? 'win32' : 'linux';
}
