/** A house to test the approver in: a real database with a tenant, people with keys, and agents that ask. */
import { createHash, randomUUID } from 'node:crypto';
import { decideCall, evolve, initialState, openedState, sessionFacts, type SessionState } from '@countersign/approval';
import {
  policyDocumentSchema,
  toCallArguments,
  type Basis,
  type Role,
  type Route,
  type SessionEvent,
  type ToolCall,
  type Verdict,
} from '@countersign/contracts';
import { createLedger, type Ledger } from '@countersign/ledger';
// eslint-disable-next-line @nx/enforce-module-boundaries -- a fixture of this room's tests, not part of its build
import { startPostgres, type TestDatabase } from '@countersign/testing';

const POLICY = policyDocumentSchema.parse({ breaker: { inARow: 1, total: 1_000, counts: ['person'] } });

/** What an agent asks about; everything has a default. */
export interface AskSeed {
  readonly tenantId?: string;
  readonly sessionId?: string;
  readonly tool?: string;
  readonly args?: Record<string, unknown>;
  readonly says?: string;
  readonly reason?: string;
  readonly timeoutMs?: number;
  readonly parentId?: string;
  /** The policy that it was judged by; none that is stored unless given. */
  readonly policyHash?: string;
  /** Where the ask goes and who may answer. */
  readonly routes?: Route[];
  /** So many rejections in a row stop the session; nearly never unless given. */
  readonly breakAfter?: number;
}

export interface House {
  readonly database: TestDatabase;
  readonly ledger: Ledger;
  /** A new person of that name with a key; the tenant is made when it is missing. */
  person(name: string, role?: Exclude<Role, 'agent'>, tenantId?: string): Promise<{ key: string; personId: string }>;
  agentKey(tenantId?: string): Promise<string>;
  /** Opens an ask as a worker would; resolves to its id. */
  ask(seed?: AskSeed): Promise<{ askId: string; sessionId: string; callId: string }>;
  close(): Promise<void>;
}

export async function openHouse(): Promise<House> {
  const postgres = await startPostgres();
  const database = await postgres.createDatabase();
  const ledger = createLedger({ databaseUrl: database.appUrl });
  await ledger.tenants.ensure({ id: 'acme', name: 'Acme' });
  return {
    database,
    ledger,
    person: async (name, role = 'approver', tenantId = 'acme') => {
      await ledger.tenants.ensure({ id: tenantId, name: tenantId });
      const made = await ledger.people.create({ tenantId, name, groups: [], roles: [role], by: 'test' });
      if (made === null) throw new Error(`there is a person \`${name}\` already`);
      const { secret } = await ledger.keys.create({ tenantId, role, personId: made.id, by: 'test' });
      return { key: secret, personId: made.id };
    },
    agentKey: async (tenantId = 'acme') => {
      await ledger.tenants.ensure({ id: tenantId, name: tenantId });
      return (await ledger.keys.create({ tenantId, role: 'agent', by: 'test' })).secret;
    },
    ask: (seed = {}) => openAsk(ledger, seed),
    close: async () => {
      await ledger.close();
      await database.drop();
      await postgres.stop();
    },
  };
}

/** Where the call is asked: its session's head, if there is one, and its parent. */
interface Place {
  readonly epoch: number;
  readonly now: string;
  readonly seq: number;
  readonly state: SessionState | null;
  readonly ancestors: readonly SessionState[];
}

async function openAsk(ledger: Ledger, seed: AskSeed) {
  const call = callOf(seed);
  const { tenantId, sessionId } = call;
  await ledger.tenants.ensure({ id: tenantId, name: tenantId });
  const place = await placeOf(ledger, call);
  const askId = `ask_${randomUUID()}`;
  const events = eventsOf(call, place, { seed, askId });
  const state = events.reduce(evolve, place.state ?? initialState());
  const opening = place.state === null ? { parentId: state.parentId, rootId: state.rootId, keyId: KEY } : {};
  const stream = { tenantId, streamId: sessionId, expectedSeq: place.seq, events, state, ...opening };
  const unit = { streams: [stream], epochs: [{ tenantId, epoch: place.epoch }], unmoved: [] };
  const [stored] = await ledger.append([unit]);
  if (!stored?.ok) throw new Error(`the ask was not stored: ${JSON.stringify(stored)}`);
  return { askId, sessionId, callId: call.id };
}

async function placeOf(ledger: Ledger, { tenantId, sessionId, opening }: ToolCall): Promise<Place> {
  const names = opening.parentId === null ? [sessionId] : [sessionId, opening.parentId];
  const streams = names.map((streamId) => ({ tenantId, streamId, knownSeq: null }));
  const round = await ledger.loadRound({ tenants: [tenantId], streams, keys: [], hashJoins: [] });
  const own = round.heads.find((head) => head.streamId === sessionId);
  const ancestors = round.heads.filter((head) => head.streamId === opening.parentId).map((head) => head.state);
  const epoch = round.epochs.get(tenantId) ?? 0;
  return { epoch, now: round.now, seq: own?.seq ?? 0, state: own?.state ?? null, ancestors };
}

function eventsOf(call: ToolCall, place: Place, { seed, askId }: { seed: AskSeed; askId: string }): SessionEvent[] {
  const { state, ancestors, epoch, now } = place;
  const before = state ?? openedState(call, ancestors);
  const decided = decideCall({
    state,
    ancestors,
    call,
    verdict: verdictOf(seed),
    basis: {
      ...basisOf(before, epoch, now),
      ...(seed.policyHash === undefined ? {} : { policyHash: seed.policyHash }),
    },
    policy: policyOf(seed),
    newAskId: askId,
    prior: null,
  });
  if (decided.kind !== 'decided') throw new Error('the call joined another');
  return decided.events;
}

const KEY = 'key_of_the_agent';

function policyOf({ timeoutMs, breakAfter, routes = [] }: AskSeed) {
  const askTimeout = { after: (timeoutMs ?? 600_000) / 1_000, outcome: 'deny' as const };
  return { ...POLICY, routes, askTimeout, breaker: { ...POLICY.breaker, inARow: breakAfter ?? 100 } };
}

function callOf(seed: AskSeed): ToolCall {
  const args = seed.args ?? { command: 'git push origin main' };
  const received = { value: args, problem: null, rawText: () => JSON.stringify(args) };
  return {
    id: `call_${randomUUID()}`,
    tenantId: seed.tenantId ?? 'acme',
    keyId: KEY,
    sessionId: seed.sessionId ?? `session-${randomUUID().slice(0, 8)}`,
    agent: 'claude-code',
    toolUseId: `toolu_${randomUUID()}`,
    attempt: 1,
    tool: seed.tool ?? 'Bash',
    args: toCallArguments(received, (text) => createHash('sha256').update(text).digest('hex')),
    cwd: '/home/ann/payments',
    mode: null,
    resolvedPaths: {},
    sameHost: false,
    description: seed.says ?? null,
    joinsByHash: false,
    opening: {
      agent: 'claude-code',
      parentId: seed.parentId ?? null,
      policy: 'default',
      mode: 'default',
      cwd: '/home/ann/payments',
      roots: ['/home/ann/payments'],
      silent: false,
      tools: null,
      labels: {},
      home: null,
    },
    ancestors: [],
  };
}

function verdictOf(seed: AskSeed): Verdict {
  const reason = seed.reason ?? 'pushes to a shared branch are asked';
  const match = {
    layer: 'ask',
    effect: 'ask',
    ruleId: 'ask.git-push',
    reason,
    source: 'project',
    pattern: 'Bash(git push *)',
    subject: null,
    level: null,
  } as const;
  return {
    effect: 'ask',
    ruleId: match.ruleId,
    reason,
    layer: 'ask',
    risk: 'medium',
    mode: 'default',
    matches: [match],
  };
}

function basisOf(state: SessionState, epoch: number, now: string): Basis {
  const session = sessionFacts(state, []);
  const facts = { now, session, protectedPaths: [], platform: 'linux' };
  return { policyName: 'default', policyHash: '0'.repeat(64), epoch, seqs: {}, facts };
}
