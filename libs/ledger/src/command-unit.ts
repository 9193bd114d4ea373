/** What a decided command stores: the session's events, the counts of its root, and what must not have moved. */
import {
  childDenialEvents,
  childRefusalEvents,
  decideTenantCommand,
  evolve,
  evolveTenant,
  initialState,
  outcomeOf,
  type BodyOf,
  type SessionCommand,
  type SessionState,
} from '@countersign/approval';
import {
  TENANT_STREAM,
  type CallOutcome,
  type ErrorCode,
  type SessionEvent,
  type TenantEvent,
} from '@countersign/contracts';
import type { AskToEnd } from './asks.js';
import type { Line, LineMember } from './load-line.js';
import type { AppendUnit, StreamAppend } from './types.js';

/** A call that waited and has its answer. */
export interface EndedCall {
  readonly askId: string;
  readonly callId: string;
  readonly outcome: CallOutcome;
}

interface Decided {
  readonly command: SessionCommand;
  readonly events: readonly SessionEvent[];
  readonly asks: readonly AskToEnd[];
}

interface Target {
  readonly tenantId: string;
  readonly sessionId: string;
}

export type CommandUnit =
  | { readonly ok: true; readonly unit: AppendUnit }
  | { readonly ok: false; readonly code: ErrorCode; readonly message?: string };

/**
 * One unit: the session's events on the line that was read, under the tenant's epoch. A tenant-wide grant goes to the tenant's
 * own stream; refused when that has no room for it.
 */
export function commandUnit(target: Target, line: Line, { command, events, asks }: Decided): CommandUnit {
  const { tenantId } = target;
  const granted = tenantStream(tenantId, line, events.filter(isTenantWide));
  if (!granted.ok) return granted;
  const kept = events.filter((event) => !isTenantWide(event));
  const own = ownStream(target, line, command, kept);
  const counted = countedInRoot(target, line, { events: kept, asks });
  const still = counted ? line.ancestors.slice(1) : line.ancestors;
  const unit = {
    // What is allowed for good stands in the log before the answer that it came from is carried out.
    streams: [...granted.streams, own, ...(counted ? [counted] : [])],
    epochs: [{ tenantId, epoch: line.epoch }],
    unmoved: still.map((member) => ({ tenantId, streamId: member.sessionId, seq: member.seq })),
  };
  return { ok: true, unit: events.some(raisesEpoch) ? { ...unit, raiseEpoch: [tenantId] } : unit };
}

type GrantCreated = Extract<SessionEvent, { type: 'GrantCreated' }>;

function isTenantWide(event: SessionEvent): event is GrantCreated {
  return event.type === 'GrantCreated' && event.body.grant.tenantWide === true;
}

type TenantPart =
  | { readonly ok: true; readonly streams: StreamAppend[] }
  | { readonly ok: false; readonly code: ErrorCode; readonly message?: string };

/** The grants as the tenant's stream takes them, each decided on what the ones before it left. */
function tenantStream(tenantId: string, { tenant, now, usedUp }: Line, grants: readonly GrantCreated[]): TenantPart {
  let { state } = tenant;
  const events: TenantEvent[] = [];
  for (const { body } of grants) {
    const decided = decideTenantCommand(state, { type: 'CreateGrant', grant: body.grant }, { now, usedUp });
    if (!decided.ok) return decided;
    state = decided.events.reduce(evolveTenant, state);
    events.push(...decided.events);
  }
  if (events.length === 0) return { ok: true, streams: [] };
  return { ok: true, streams: [{ tenantId, streamId: TENANT_STREAM, expectedSeq: tenant.seq, events, state }] };
}

/** May this command change what others rest on? Then the tenant's lock is taken alone before anything is read. */
export function mayRaiseEpoch(command: SessionCommand): boolean {
  return command.type === 'RevokeGrant' || (command.type === 'AnswerAsk' && command.scope === 'always');
}

function ownStream(target: Target, { session }: Line, command: SessionCommand, events: readonly SessionEvent[]) {
  return {
    tenantId: target.tenantId,
    streamId: target.sessionId,
    expectedSeq: session?.seq ?? 0,
    events,
    state: stateAfter(session?.state ?? null, events),
    ...(command.type === 'OpenSession' ? openingColumns(command) : {}),
  };
}

/** The root whose breaker the unit opens, if the unit is a subagent's. */
export function rootStoppedBy({ streams }: AppendUnit, sessionId: string): string | null {
  const others = streams.filter(({ streamId }) => streamId !== sessionId);
  return others.find(({ events }) => events.some((event) => event.type === 'BreakerOpened'))?.streamId ?? null;
}

/** A subagent's counted denials stand in its root's total too: the root's stream, when these events add to it. */
function countedInRoot(target: Target, line: Line, decided: Omit<Decided, 'command'>): StreamAppend | null {
  const [root] = line.ancestors;
  const events = root ? rootEvents(root, target.sessionId, decided) : [];
  if (!root || events.length === 0) return null;
  const state = stateAfter(root.state, events);
  return { tenantId: target.tenantId, streamId: root.sessionId, expectedSeq: root.seq, events, state };
}

function stateAfter(state: SessionState | null, events: readonly SessionEvent[]): SessionState {
  return events.reduce(evolve, state ?? initialState());
}

function openingColumns(command: Extract<SessionCommand, { type: 'OpenSession' }>) {
  return { parentId: command.opening.parentId, rootId: command.rootId, keyId: command.keyId };
}

/** A grant that outlives its call changes what others may rest on; so does taking one away. */
function raisesEpoch(event: SessionEvent): boolean {
  return event.type === 'GrantRevoked' || (event.type === 'GrantCreated' && event.body.grant.kind === 'always');
}

function rootEvents(root: LineMember, sessionId: string, { events, asks }: Omit<Decided, 'command'>): SessionEvent[] {
  let state = root.state;
  const refusals = childRefusalEvents(sessionId, events, (askId) => asks.find((ask) => ask.askId === askId)?.opened);
  const denials = decisionsIn(events).flatMap((decided) => {
    const terms = asks.find((ask) => ask.askId === decided.decision.askId)?.opened.terms;
    if (decided.decision.counted !== true || !terms) return [];
    const added = childDenialEvents(state, { sessionId, callId: decided.request.callId }, terms.breaker);
    state = stateAfter(state, added);
    return added;
  });
  return [...refusals, ...denials];
}

function decisionsIn(events: readonly SessionEvent[]): BodyOf<'ToolCallDecided'>[] {
  return events.flatMap((event) => (event.type === 'ToolCallDecided' ? [event.body] : []));
}

/** The answers that these events give to waiting calls; of one ask the last is that of the call that asked. */
export function outcomesOf(events: readonly SessionEvent[]): EndedCall[] {
  return decisionsIn(events).flatMap((decided) => {
    const { askId } = decided.decision;
    return askId === null ? [] : [{ askId, callId: decided.request.callId, outcome: outcomeOf(decided) }];
  });
}
