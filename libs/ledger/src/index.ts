/** The event store: streams, chain, asks, call keys and the read models over them. */
export { createLedger, type ExecutedCommand, type Ledger, type LedgerOptions } from './ledger.js';
export { appendRecord } from './append-record.js';
export { inspectDatabase, type DatabaseFacts } from './inspect-database.js';
export { DEFAULT_RETENTION, runChores, type ChoresDone, type Retention } from './chores.js';
export { makePartitions, migrate, ROLE_SETTINGS, type MigrateOptions } from './migrate.js';
export {
  freePort,
  PostgresUnavailable,
  prepareBinaries,
  processIsAlive,
  startCluster,
  type Cluster,
  type ClusterOptions,
  type PostgresBinaries,
} from './embedded/index.js';
export { hashSecret, type Keys, type KeyView, type NewKey } from './keys.js';
export type { Identity, NewPerson, People, PersonView } from './people.js';
export { policyHash, type Policies, type PolicyVersion } from './policies.js';
export type { Tenants, TenantView } from './tenants.js';
export type {
  Appended,
  AppendUnit,
  Conflict,
  HashJoin,
  Head,
  LedgerTransaction,
  Round,
  RoundQuery,
  StreamAppend,
  StreamKey,
  UnitResult,
  VaultEntry,
} from './types.js';
export type { AskQuery, Asks, DueAsk, WholeAsk } from './asks.js';
export type { Calls, CallView } from './calls.js';
export type { RunningCall } from './running-calls.js';
export type { ChannelTarget, ClosedTarget, ClosedTargets } from './closed-targets.js';
export type { Deliveries, Delivery, DeliveryKey, DeliveryState, PlannedMessage } from './deliveries.js';
export type { TenantExecuteResult } from './execute-tenant.js';
export type { GrantQuery, Grants, GrantView } from './grants.js';
export type { EngagedKill, KillQuery, Kills, KillView } from './kills.js';
export type { SessionCounts } from './session-metrics.js';
export type { Followers } from './followers.js';
export type { KillReach, Processes, ProcessName } from './processes.js';
export type { Vault, VaultItem, VaultKey } from './vault.js';
export { CHAIN_START, chainHash, contentHash, type ChainRow } from './chain.js';
export { fromColumn, toColumn } from './column-text.js';
export type { EndedCall } from './command-unit.js';
export { decodeCursor, encodeCursor, type Page } from './cursor.js';
export {
  FEED_START,
  type Events,
  type FeedPosition,
  type Followed,
  type FollowerLag,
  type FollowQuery,
  type StreamEnds,
  type StreamPlace,
} from './events.js';
export { WrittenByNewer } from './read-state.js';
export type { ReplayedStream } from './replay-stream.js';
export type { CommandTarget } from './execute.js';
export type { Expiry } from './expire-asks.js';
export type { Idempotency, IdempotentRequest, Remembered } from './idempotency.js';
export type { SessionQuery, Sessions, SessionView } from './sessions.js';
export type { PoolUse, Vitals, Watching } from './vitals.js';
export type { ChainProblem, VerifyProgress, VerifyReport } from './verify.js';
