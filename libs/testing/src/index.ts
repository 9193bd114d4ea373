/** Real services and builders for tests. */
export { freePort, startOwnRedis, startRedis, type OwnRedis, type RedisFixture } from './redis.js';
export { startPostgres, TEST_APP_ROLE, type TestDatabase, type TestPostgres } from './postgres.js';
export { startTcpProxy, type TcpProxy } from './tcp-proxy.js';
