/** The ledger as the rest of the house uses it: one object over one pool of the application role. */
import type { SessionCommand, TenantCommand } from '@countersign/approval';
import type { AskView, SessionEvent } from '@countersign/contracts';
import { appendRound } from './append.js';
import { createAsks, type Asks, type DueAsk } from './asks.js';
import { createCalls, type Calls } from './calls.js';
import { createClosedTargets, type ClosedTargets } from './closed-targets.js';
import { openDatabase, withLockedHeads, type Database, type DatabaseOptions } from './database.js';
import { createDeliveries, type Deliveries } from './deliveries.js';
import { endAsksBelow } from './end-below.js';
import { createEvents, type Events, type Followed, type FollowQuery } from './events.js';
import { expireAsks, type Expiry } from './expire-asks.js';
import { executeCommand, type CommandTarget, type Executed, type ExecuteResult } from './execute.js';
import { executeTenant, type TenantExecuteResult } from './execute-tenant.js';
import { createFollowers, type Followers } from './followers.js';
import { createGrants, type Grants } from './grants.js';
import { createIdempotency, type Idempotency } from './idempotency.js';
import { createKeys, type Keys } from './keys.js';
import { createKills, type Kills } from './kills.js';
import { loadRound } from './load-round.js';
import { createPeople, type People } from './people.js';
import { createPolicies, type Policies } from './policies.js';
import { replayStream, type ReplayedStream } from './replay-stream.js';
import { createProcesses, type Processes } from './processes.js';
import { recordRefused } from './record-refused.js';
import { createSessions, type Sessions } from './sessions.js';
import { createTenants, type Tenants } from './tenants.js';
import type { AppendUnit, LedgerTransaction, Round, RoundQuery, StreamKey, UnitResult, VaultEntry } from './types.js';
import { createVault, type Vault } from './vault.js';
import { createWatching, type Watching } from './vitals.js';
import { verifyLedger, type VerifyProgress, type VerifyReport } from './verify.js';

/** A refused answer says how the ask stands, so that the loser learns who was first, when and where. */
export type ExecutedCommand =
  Extract<ExecuteResult, { ok: true }> | (Extract<ExecuteResult, { ok: false }> & { readonly ask?: AskView });

export interface Ledger {
  /** One statement for the whole round; every unit is stored whole or not at all. */
  append(units: readonly AppendUnit[]): Promise<UnitResult[]>;
  /** One query: what the next decisions need. */
  loadRound(query: RoundQuery): Promise<Round>;
  /** After two conflicts: lock, load, decide and append in one transaction. */
  withLockedHeads<T>(heads: readonly StreamKey[], work: (tx: LedgerTransaction) => Promise<T>): Promise<T>;
  /**
   * Everything but tool calls that happens to a session: answers, expiry, cancel, results, changes. `vault`: sealed originals
   * that belong to the command's events; they are stored with them, and not when the command is refused or changes nothing.
   */
  execute(target: CommandTarget, command: SessionCommand, vault?: readonly VaultEntry[]): Promise<ExecutedCommand>;
  /**
   * Puts an answer that did not count on record. Where it came too late and says the contrary, a message of kind `late` is planned
   * with it for the places where the ask's card was shown and from which the first answer came. Throws when it cannot be stored.
   */
  recordRefused(stream: StreamKey, refused: Extract<SessionEvent, { type: 'AskAnswerRefused' }>): Promise<void>;
  /** Ends those of the asks whose time is over by the database's clock, all in one statement; what moved meanwhile is left. */
  expire(due: readonly DueAsk[]): Promise<Expiry>;
  /** What holds for a whole tenant: kill switches and tenant-wide grants. Raises the tenant's epoch. */
  executeTenant(tenantId: string, command: TenantCommand): Promise<TenantExecuteResult>;
  /** Reads on from a position, each event once and in a stable order: for outboxes, streams and exports. */
  follow(query: FollowQuery): Promise<Followed>;
  /** Checks hashes, gaps and heads of one tenant or of all; reads a snapshot, stops nobody. */
  verify(tenantId?: string, onProgress?: VerifyProgress): Promise<VerifyReport>;
  /** A session's state computed anew from its events: what the head's own must equal. */
  replayStream(stream: StreamKey): Promise<ReplayedStream>;
  /** Throws when the database does not answer. */
  ping(): Promise<void>;
  readonly asks: Asks;
  readonly calls: Calls;
  readonly closedTargets: ClosedTargets;
  readonly deliveries: Deliveries;
  readonly events: Events;
  readonly followers: Followers;
  readonly grants: Grants;
  readonly idempotency: Idempotency;
  readonly keys: Keys;
  readonly kills: Kills;
  readonly people: People;
  readonly policies: Policies;
  readonly processes: Processes;
  readonly sessions: Sessions;
  readonly tenants: Tenants;
  readonly watching: Watching;
  readonly vault: Vault;
  close(): Promise<void>;
}

export type LedgerOptions = DatabaseOptions;

export function createLedger(options: LedgerOptions): Ledger {
  const db = openDatabase(options);
  const asks = createAsks(db);
  const calls = createCalls(db);
  const events = createEvents(db);
  return {
    append: (units) => appendRound(db.pool, units),
    loadRound: (query) => loadRound(db.pool, query),
    withLockedHeads: (heads, work) => withLockedHeads(db.pool, heads, work),
    execute: (target, command, vault = []) => execute(db, { asks, calls }, target, { command, vault }),
    recordRefused: (stream, refused) => recordRefused(db, stream, [refused]),
    expire: (due) => expireAsks(db, due, (target, stored) => endBelow(db, { calls }, target, stored)),
    executeTenant: (tenantId, command) => executeTenant(db.pool, tenantId, command),
    follow: (query) => events.follow(query),
    verify: (tenantId, onProgress) => verifyLedger(db.pool, tenantId, onProgress),
    replayStream: (stream) => replayStream(events, stream),
    ping: async () => {
      await db.pool.query('SELECT 1');
    },
    asks,
    calls,
    closedTargets: createClosedTargets(db),
    deliveries: createDeliveries(db),
    events,
    followers: createFollowers(db),
    grants: createGrants(db),
    idempotency: createIdempotency(db),
    keys: createKeys(db),
    kills: createKills(db),
    people: createPeople(db),
    policies: createPolicies(db),
    processes: createProcesses(db),
    sessions: createSessions(db),
    tenants: createTenants(db),
    watching: createWatching(db),
    vault: createVault(db),
    close: () => db.close(),
  };
}

async function execute(
  db: Database,
  reads: { asks: Asks; calls: Calls },
  target: CommandTarget,
  { command, vault }: Required<Executed>,
): Promise<ExecutedCommand> {
  const result = await executeCommand(db, reads.calls, target, { command, vault });
  if (result.ok) {
    const below = await endBelow(db, reads, target, result);
    return { ...result, outcomes: [...result.outcomes, ...below] };
  }
  if (command.type !== 'AnswerAsk') return result;
  const ask = await reads.asks.get(target.tenantId, command.askId);
  return ask === null || ask.sessionId !== target.sessionId ? result : { ...result, ask };
}

function endBelow(
  db: Database,
  { calls }: { calls: Calls },
  target: CommandTarget,
  stored: Extract<ExecuteResult, { ok: true }>,
) {
  return endAsksBelow(db, target, stored, (child, end) => executeCommand(db, calls, child, { command: end }));
}
