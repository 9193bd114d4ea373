/** Start-up checks: what passes, what is told, what refuses to start, each in one line. */
import { describe, expect, it } from '@jest/globals';
import { formatFinding, judgeDatabase, judgeOwnerUrl, judgeRedis, type Finding } from './findings.js';

const redis = {
  version: '7.0.15',
  neededVersion: '6.2.0',
  evictionPolicy: 'noeviction',
  maxMemory: 0,
  cluster: false,
  clockAheadMs: 3,
  role: 'master',
};
const database = {
  role: 'app',
  version: 180_004,
  clockAheadMs: -3,
  missingMigrations: [],
  unknownMigrations: [],
  excessRights: [],
  mayAppend: true,
};
const told = (findings: readonly Finding[], grade: string) =>
  findings.filter((finding) => finding.grade === grade).map(formatFinding);

describe('a Redis', () => {
  it('that is fit passes every check', () => {
    expect(told(judgeRedis(redis, '{countersign}'), 'ok')).toHaveLength(5);
    expect(told(judgeRedis({ ...redis, cluster: true }, '{countersign}'), 'ok')).toHaveLength(5);
  });

  it.each([
    [{ version: '6.0.16' }, 'Redis 6.0.16: 6.2.0 or newer is needed'],
    [{ version: 'unknown' }, 'Redis unknown: 6.2.0 or newer is needed'],
    [
      { evictionPolicy: 'allkeys-lru', maxMemory: 67_108_864 },
      'noeviction: with maxmemory 67108864 it throws jobs away',
    ],
    [{ evictionPolicy: 'volatile-ttl' }, 'noeviction: once memory is limited'],
    [{ role: 'slave' }, 'replica and takes no writes'],
    [{ clockAheadMs: 30_001 }, 'by 30.0 s (ahead)'],
    [{ clockAheadMs: Number.NaN }, 'clock of Redis'],
  ])('%j refuses', (change, line) => {
    expect(told(judgeRedis({ ...redis, ...change }, '{countersign}'), 'bad')).toEqual([expect.stringContaining(line)]);
  });

  it('C15 of a cluster needs a hash tag in the prefix', () => {
    expect(told(judgeRedis({ ...redis, cluster: true }, 'countersign'), 'bad')).toEqual([
      expect.stringContaining('needs a hash tag, such as {countersign}'),
    ]);
  });

  it('whose clock differs by seconds is told of', () => {
    expect(told(judgeRedis({ ...redis, clockAheadMs: -1_500 }, '{c}'), 'warn')).toEqual([
      expect.stringContaining("clock of Redis: differs from this host's by 1.5 s (behind)"),
    ]);
  });
});

describe('a database', () => {
  it('that is fit passes every check', () => {
    expect(told(judgeDatabase(database), 'ok')).toHaveLength(4);
  });

  it.each([
    [{ version: 140_004 }, 'Postgres 14.4: 15 or newer is needed'],
    [{ missingMigrations: null }, 'none was applied yet: run `npm run migrate`'],
    [{ missingMigrations: ['2_b'] }, 'not applied: 2_b'],
    [{ excessRights: ['SUPERUSER', 'writes to events'] }, 'too many rights (SUPERUSER, writes to events)'],
    [{ mayAppend: false }, 'may not call append'],
    [{ clockAheadMs: -31_000 }, 'by 31.0 s (behind)'],
  ])('%j refuses', (change, line) => {
    expect(told(judgeDatabase({ ...database, ...change }), 'bad')).toEqual([expect.stringContaining(line)]);
  });

  it('that a newer program migrated is told of: a rolling upgrade', () => {
    expect(told(judgeDatabase({ ...database, unknownMigrations: ['3_c'] }), 'warn')).toHaveLength(1);
  });
});

it.each(['gateway', 'approver'])('the owner’s URL is no business of the %s', (app) => {
  expect(judgeOwnerUrl(app, true).grade).toBe('bad');
  expect(judgeOwnerUrl(app, false).grade).toBe('ok');
  expect(judgeOwnerUrl('worker', true).grade).toBe('ok');
});
