/** Events as the worker makes them, for the tests of this room. */
import { evolve, initialState, type SessionState } from '@countersign/approval';
import { canonicalJson, type RequestRecord, type SessionEvent, type SessionOpening } from '@countersign/contracts';
import type { AppendUnit } from './types.js';

export const TENANT = 'acme';
const HASH = 'a'.repeat(64);

export const OPENING: SessionOpening = {
  agent: 'claude-code',
  parentId: null,
  policy: 'default',
  mode: 'default',
  cwd: '/w',
  roots: ['/w'],
  silent: false,
  tools: null,
  labels: {},
  home: null,
};

export function started(sessionId: string, opening: Partial<SessionOpening> = {}, rootId = sessionId): SessionEvent {
  const body = { sessionId, keyId: 'key_1', opening: { ...OPENING, ...opening }, rootId };
  return { type: 'SessionStarted', version: 1, body };
}

export function request(toolUseId: string, change: Partial<RequestRecord> = {}): RequestRecord {
  const json = canonicalJson({ command: `echo ${toolUseId}` });
  return {
    callId: `call_${toolUseId}`,
    keyId: 'key_1',
    agent: 'claude-code',
    toolUseId,
    attempt: 1,
    tool: 'Bash',
    args: { state: 'ok', json, hash: HASH },
    cwd: '/w',
    mode: 'default',
    resolvedPaths: {},
    description: null,
    ...change,
  };
}

const match = (effect: 'allow' | 'ask' | 'deny') => ({
  layer: effect === 'ask' ? ('ask' as const) : ('allow' as const),
  effect,
  ruleId: `rule.${effect}`,
  reason: `because ${effect}`,
  source: null,
  pattern: null,
  subject: null,
  level: null,
});

const verdict = (effect: 'allow' | 'ask' | 'deny') => ({
  effect,
  ruleId: `rule.${effect}`,
  reason: `because ${effect}`,
  layer: match(effect).layer,
  risk: 'low' as const,
  mode: 'default' as const,
  matches: [match(effect)],
});

const basis = (sessionId: string) => ({
  policyName: 'default',
  policyHash: HASH,
  epoch: 1,
  seqs: { [sessionId]: 1 },
  facts: {
    now: '2026-01-01T00:00:00.000Z',
    session: {
      sessionId,
      cancelled: false,
      stopped: false,
      breakerOpen: false,
      heldBy: null,
      mode: 'default' as const,
      silent: false,
      subagent: false,
      tools: null,
      rules: [],
      grants: [],
      roots: ['/w'],
      cwd: '/w',
      home: null,
    },
    protectedPaths: [],
    platform: 'linux',
  },
});

export function decided(sessionId: string, toolUseId: string, change: Partial<RequestRecord> = {}): SessionEvent {
  const decision = {
    effect: 'allow' as const,
    approvalStatus: 'not_required' as const,
    ruleId: 'rule.allow',
    reason: 'because allow',
    layer: 'allow',
    askId: null,
    answeredBy: null,
    updatedInput: null,
    stop: false,
  };
  const body = { request: request(toolUseId, change), verdict: verdict('allow'), decision, basis: basis(sessionId) };
  return { type: 'ToolCallDecided', version: 1, body } as SessionEvent;
}

export function opened(
  sessionId: string,
  askId: string,
  { timeoutMs = 60_000 as number | null, ...change }: Partial<RequestRecord> & { timeoutMs?: number | null } = {},
): SessionEvent {
  const terms = { holdSeconds: 540, passAsk: false, breaker: { inARow: 3, total: 20, counts: ['policy', 'person'] } };
  const asked = { askId, request: request(`use_${askId}`, change), verdict: verdict('ask'), basis: basis(sessionId) };
  return { type: 'AskOpened', version: 1, body: { ...asked, timeoutMs, terms } } as SessionEvent;
}

/** A unit on one stream, with the state that its events make of `state`. */
export function unit(
  streamId: string,
  expectedSeq: number | null,
  events: readonly SessionEvent[],
  change: { state?: SessionState | null; unmoved?: AppendUnit['unmoved']; epochs?: AppendUnit['epochs'] } = {},
): AppendUnit {
  const { state = initialState(), unmoved = [], epochs = [] } = change;
  const first = events[0]?.type === 'SessionStarted' ? events[0].body : null;
  const columns = first ? { parentId: first.opening.parentId, rootId: first.rootId, keyId: first.keyId } : {};
  const after = expectedSeq === null || state === null ? null : events.reduce(evolve, state);
  const stream = { tenantId: TENANT, streamId, expectedSeq, events, state: after, ...columns };
  return { streams: [stream], epochs, unmoved };
}
