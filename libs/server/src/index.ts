/** What the servers share: doors, keys, bodies, errors, health and log. */
export { authenticate, type Authenticator, type KeySource } from './auth.js';
export { ChurnMap } from './churn-map.js';
export {
  createCookieSessions,
  CSRF_HEADER,
  type CookieOptions,
  type CookieSession,
  type CookieSessions,
} from './cookie-sessions.js';
export { endsWithin } from './ends-within.js';
export type { RenderFailure } from './error-filter.js';
export { toDoorError } from './error-mapping.js';
export { areMet, createProbeSet, NotReady, type Needs, type Probe } from './health/probes.js';
export { startSideServer, type SideServer, type SideServerOptions } from './health/side-server.js';
export { createHostCheck, type HostCheckOptions } from './host-check.js';
export type { IdempotencyStore, IdempotentRequest } from './idempotency.js';
export { CannotListen, cannotListen, type ListenPlace } from './listen.js';
export { watchKills, type KillWatch, type KillWatchDeps } from './kill/kill-watch.js';
export { createLineLimit, type LineLimit } from './line-limit.js';
export { LOAD_LIMITS, type BodyShare, type LoadLimits } from './load/load-guard.js';
export { createLogger, nestLogger, type Logger, type LoggerOptions } from './logging.js';
export { createMetrics, type Metrics } from './metrics/metrics.js';
export type { MetricsDoor } from './metrics/install-metrics.js';
export {
  OutboundRefused,
  OutboundTooLarge,
  postOutbound,
  type Address,
  type OutboundAnswer,
  type OutboundOptions,
  type Resolve,
} from './outbound/outbound.js';
export { isPrivateAddress } from './outbound/private-addresses.js';
export { watchOutages, type OutageOptions, type OutageWatch } from './outage.js';
export { CurrentPrincipal, InspectedBody, noteForLog, type Principal } from './principal.js';
export { BODY_LIMIT, readBytes, type ReadBytes } from './read-bytes.js';
export { readEnv, type EnvResult } from './read-env.js';
export { SchemaPipe } from './schema-pipe.js';
export { SocketAdapter, type SocketAdapterOptions } from './socket-adapter.js';
export { createServerApp, type ServerApp, type ServerAppOptions } from './server-app.js';
export { openTracing, type OpenTracing, type TracingOptions } from './tracing/tracing.js';
export {
  formatFinding,
  judgeDatabase,
  judgeOwnerUrl,
  judgeRedis,
  type Finding,
  type Grade,
  type SeenDatabase,
  type SeenRedis,
} from './startup/findings.js';
export { timeOrderedId } from './time-ordered-id.js';
export { joinPresence, type Presence, type PresenceOptions } from './presence.js';
export {
  createVaultKeys,
  newVaultKey,
  OriginalUnreadable,
  vaultKeysOrNew,
  type SealedOriginal,
  type VaultKeys,
  type VaultPlace,
} from './secrets/vault-keys.js';
export { redactingLedger } from './secrets/redacting-ledger.js';
