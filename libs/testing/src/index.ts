/** Real services and builders for tests. */
export { freePort } from '@countersign/ledger';
export { startOwnRedis, startRedis, type OwnRedis, type RedisFixture } from './redis.js';
export { openTestLedger, type TestLedger } from './ledger.js';
export { startPostgres, TEST_APP_ROLE, type TestDatabase, type TestPostgres } from './postgres.js';
export { startTcpProxy, type TcpProxy } from './tcp-proxy.js';
