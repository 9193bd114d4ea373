/** The operations page names every metric and states the limits that the code has. */
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { MAX_ARGUMENT_BYTES, MAX_BATCH_CALLS, METRICS } from '@countersign/contracts';
import { DEFAULT_RETENTION, ROLE_SETTINGS } from '@countersign/ledger';
import { GATEWAY_DEFAULTS } from '@countersign/gateway';
import { BODY_LIMIT, LOAD_LIMITS } from '@countersign/server';
import { WORKER_DEFAULTS } from '@countersign/worker';
import { CEILINGS } from '../soak/ceilings.js';

const page = readFileSync('docs/operations.md', 'utf8');
const MB = 1024 * 1024;
/** `30s` is "30 s" on the page. */
const spoken = (interval: string): string => interval.replace('s', ' s');
const grouped = (value: number): string => value.toLocaleString('en-US');

it('names every metric', () => {
  const missing = Object.keys(METRICS).filter((name) => !page.includes(`\`${name}\``));
  expect(missing).toEqual([]);
});

it.each([
  ['requests in flight', `| ${grouped(LOAD_LIMITS.maxInFlight)} |`],
  ['event loop', `more than ${LOAD_LIMITS.maxLagMs / 1_000} s for three looks`],
  ['bodies', `| ${LOAD_LIMITS.maxBodyBytes / MB} MB |`],
  ['one body', `| ${BODY_LIMIT / MB} MB |`],
  ['arguments', `${MAX_ARGUMENT_BYTES / 1024} KB, depth`],
  ['waiters', `${grouped(GATEWAY_DEFAULTS.maxWaiters)}, and ${GATEWAY_DEFAULTS.maxWaitingChars / MB} M characters`],
  ['first outcome', `| wait for a first outcome | ${GATEWAY_DEFAULTS.judgeMs / 1_000} s |`],
  ['sockets', `gateway ${grouped(GATEWAY_DEFAULTS.maxSockets)}`],
  ['batch', `${MAX_BATCH_CALLS} calls or 1 MB`],
  ['statements', `${spoken(ROLE_SETTINGS.statement_timeout)}; ${spoken(ROLE_SETTINGS.lock_timeout)} for a lock`],
  ['transactions', `${spoken(ROLE_SETTINGS.idle_in_transaction_session_timeout)} idle in a transaction`],
  ['round', `| ${grouped(WORKER_DEFAULTS.roundCalls)} calls |`],
  ['heads', `${grouped(WORKER_DEFAULTS.cachedHeads)} and ${grouped(WORKER_DEFAULTS.cachedPolicies)}`],
  ['call keys', `\`KEEP_CALL_DAYS\` (${DEFAULT_RETENTION.callDays})`],
  ['asks', `\`KEEP_ASK_DAYS\` after their end (${DEFAULT_RETENTION.askDays})`],
  ['originals', `\`KEEP_ORIGINAL_DAYS\` (${DEFAULT_RETENTION.originalDays})`],
  ['answers and deliveries', `${DEFAULT_RETENTION.idempotencyDays} and ${DEFAULT_RETENTION.deliveryDays} days`],
  ['memory', `under ${CEILINGS.gateway} MB (gateway, approver) and ${CEILINGS.worker} MB (worker)`],
  ['Redis', `under ${CEILINGS.redis} MB of \`used_memory\``],
])('states the limit of %s', (_what, text) => {
  expect(page).toContain(text);
});
