/** Start-up checks against a real Postgres and real Redis servers: what is fit passes, what is not is named in one line. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  startOwnRedis,
  startPostgres,
  type OwnRedis,
  type TestDatabase,
  type TestPostgres,
} from '@countersign/testing';
import { checkServices, inspectServices } from './check-services.js';

let postgres: TestPostgres;
let database: TestDatabase;
let redis: OwnRedis;

beforeAll(async () => {
  postgres = await startPostgres();
  database = await postgres.createDatabase();
  redis = await startOwnRedis();
}, 120_000);
afterAll(async () => {
  await redis.stop();
  await database.drop();
  await postgres.stop();
}, 60_000);

const complaintOf = (databaseUrl: string | null, redisUrl: string | null): Promise<string> =>
  checkServices({ databaseUrl, redisUrl }, () => undefined).then(
    () => '',
    (error: Error) => error.message,
  );

describe('start-up checks', () => {
  it('pass where all is as it must be', async () => {
    const findings = await inspectServices({ databaseUrl: database.appUrl, redisUrl: redis.url });
    expect(findings.filter(({ grade }) => grade !== 'ok')).toEqual([]);
    expect(findings.map(({ what }) => what).join()).toMatch(
      /Postgres \d+.*migrations.*database role.*Redis \d+.*noeviction/,
    );
  });

  it('refuse the owner: it could rewrite the log', async () => {
    const line = await complaintOf(database.ownerUrl, null);
    expect(line).toMatch(
      /^the database cannot be used: database role \S+: has too many rights \([^\n]*SUPERUSER[^\n]*writes to events/,
    );
  });

  it('C13 refuse a Redis that may throw jobs away', async () => {
    const forgetful = await startOwnRedis({ maxmemoryPolicy: 'allkeys-lru' });
    expect(await complaintOf(null, forgetful.url)).toMatch(/^[^\n]*set maxmemory-policy to noeviction[^\n]*$/);
    await forgetful.stop();
  });

  it('refuse a database that was never migrated', async () => {
    const empty = await postgres.createEmptyDatabase();
    expect(await complaintOf(empty.ownerUrl, null)).toBe(
      'the database cannot be used: migrations: none was applied yet: run `npm run migrate`',
    );
    await empty.drop();
  });

  it('say what cannot be reached, without its password', async () => {
    const line = await complaintOf('postgresql://u:s3cret@127.0.0.1:9/x', 'redis://:s3cret@127.0.0.1:9');
    expect(line.split('\n')).toEqual([
      expect.stringMatching(/^the database cannot be used: /),
      expect.stringMatching(/^the queue cannot be used: /),
    ]);
    expect(line).not.toContain('s3cret');
  });
});
