/** What the servers share: doors, keys, bodies, errors, health and log. */
export { authenticate, secretHash, type Authenticator, type KeySource } from './auth.js';
export { BODY_LIMIT } from './body-reader.js';
export {
  createCookieSessions,
  CSRF_HEADER,
  type CookieOptions,
  type CookieSession,
  type CookieSessions,
} from './cookie-sessions.js';
export type { RenderFailure } from './error-filter.js';
export { toDoorError } from './error-mapping.js';
export type { Probe } from './health.js';
export { createHostCheck, type HostCheckOptions } from './host-check.js';
export type { IdempotencyStore, IdempotentRequest } from './idempotency.js';
export { PortTaken } from './listen.js';
export { createLogger, nestLogger, type Logger, type LoggerOptions } from './logging.js';
export { CurrentPrincipal, InspectedBody, noteForLog, type Principal } from './principal.js';
export { readEnv, type EnvResult } from './read-env.js';
export { SchemaPipe } from './schema-pipe.js';
export { createServerApp, type ServerApp, type ServerAppOptions } from './server-app.js';
