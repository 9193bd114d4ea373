/** Migration, tenants, keys, people, policies, remembered answers, pages and the feed. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { policyDocumentSchema } from '@countersign/contracts';
import { openTestLedger, TEST_APP_ROLE, type TestLedger } from '@countersign/testing';
import pg from 'pg';
import { createLedger, FEED_START, hashSecret, migrate, type Ledger } from './index.js';
import { openDatabase } from './database.js';
import { Prisma } from './generated/client.js';
import { migrationNames } from './schema-engine.js';
import { decided, opened, started, TENANT, unit } from './spec-data.js';

let house: TestLedger;
let ledger: Ledger;
let owner: TestLedger['owner'];
let database: TestLedger['database'];
let postgres: TestLedger['postgres'];

beforeAll(async () => {
  house = await openTestLedger(TENANT);
  ({ ledger, owner, database, postgres } = house);
}, 60_000);

afterAll(() => house?.close());

describe('migrate', () => {
  it('may run again and beside itself', async () => {
    const empty = await postgres.createEmptyDatabase();
    const options = { ownerUrl: empty.ownerUrl, appRole: TEST_APP_ROLE, appPassword: 'countersign', monthsAhead: 1 };
    const runs = await Promise.all([migrate(options), migrate(options), migrate(options)]);
    expect(runs.flat()).toEqual(await migrationNames());
    const fresh = createLedger({ databaseUrl: empty.appUrl });
    expect(await fresh.tenants.ensure({ id: 'x', name: 'X' })).toMatchObject({ id: 'x', epoch: 1 });
    await fresh.close();
    await empty.drop();
  }, 60_000);

  it('tries again what was refused, and what a process left in the middle', async () => {
    const empty = await postgres.createEmptyDatabase();
    const options = { ownerUrl: empty.ownerUrl, appRole: TEST_APP_ROLE, appPassword: 'countersign', monthsAhead: 1 };
    const direct = new pg.Client({ connectionString: empty.ownerUrl });
    await direct.connect();
    await direct.query("CREATE FUNCTION make_partitions(int) RETURNS int LANGUAGE sql AS 'SELECT 1'");
    await expect(migrate(options)).rejects.toThrow(
      'a migration was refused: function "make_partitions" already exists',
    );
    expect((await direct.query("SELECT to_regclass('events') AS events")).rows).toEqual([{ events: null }]);
    await direct.query('DROP FUNCTION make_partitions');
    await direct.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name) SELECT 'killed', 'x', $1
       WHERE NOT EXISTS (SELECT 1 FROM _prisma_migrations WHERE finished_at IS NULL)`,
      [(await migrationNames())[0]],
    );
    expect(await migrate(options)).toEqual(await migrationNames());
    await direct.end();
    await empty.drop();
  }, 60_000);

  it('goes through while events are stored', async () => {
    const newest = '20261201000800_lean_append';
    await owner.query('DELETE FROM _prisma_migrations WHERE migration_name = $1', [newest]);
    let over = false;
    const write = async (sessionId: string): Promise<number> => {
      let stored = 0;
      while (!over) {
        stored += 1;
        const made = decided(sessionId, `${sessionId} ${stored}`);
        const [result] = await ledger.append([
          unit(sessionId, stored === 1 ? 0 : null, stored === 1 ? [started(sessionId)] : [made]),
        ]);
        expect(result).toMatchObject({ ok: true });
      }
      return stored;
    };
    const writers = [1, 2, 3, 4].map((n) => write(`migrating${n}`));
    await new Promise((wake) => setTimeout(wake, 200));
    const options = { ownerUrl: database.ownerUrl, appRole: TEST_APP_ROLE, appPassword: 'countersign', monthsAhead: 1 };
    const applied = await migrate(options).finally(() => (over = true));
    expect(applied).toEqual([newest]);
    for (const stored of await Promise.all(writers)) expect(stored).toBeGreaterThan(1);
  }, 60_000);

  it('makes partitions for this month, the one before and those ahead, and no default one', async () => {
    const { rows } = await owner.query<{ bound: string }>(
      `SELECT pg_get_expr(c.relpartbound, c.oid) AS bound FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = 'events'::regclass`,
    );
    expect(rows).toHaveLength(3);
    expect(rows.every((row) => row.bound.startsWith('FOR VALUES FROM'))).toBe(true);
    expect((await owner.query('SELECT make_partitions(3)')).rowCount).toBe(2);
    expect((await owner.query('SELECT make_partitions(3)')).rowCount).toBe(0);
  });
});

it('has every column that the Prisma schema names', async () => {
  const db = openDatabase({ databaseUrl: database.appUrl });
  const models = Object.values(Prisma.ModelName);
  for (const name of models) {
    const model = `${name.charAt(0).toLowerCase()}${name.slice(1)}` as keyof typeof db.prisma;
    await (db.prisma[model] as unknown as { findMany(): Promise<unknown> }).findMany();
  }
  const { rows } = await owner.query<{ tables: number }>(
    "SELECT count(*)::int AS tables FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND NOT relispartition AND relname <> '_prisma_migrations'",
  );
  expect(rows).toEqual([{ tables: models.length }]);
  await db.close();
});

describe('what belongs to a tenant', () => {
  it('is made with an event and raises the epoch', async () => {
    const before = (await ledger.tenants.ensure({ id: TENANT, name: 'Another name' })).epoch;
    const ann = await ledger.people.create({
      tenantId: TENANT,
      name: 'Ann',
      groups: ['ops'],
      roles: ['approver'],
      by: 'x',
    });
    expect(await ledger.people.create({ tenantId: TENANT, name: 'Ann', groups: [], roles: [], by: 'x' })).toBeNull();
    const made = await ledger.keys.create({ tenantId: TENANT, role: 'approver', personId: ann?.id ?? '', by: 'x' });
    const found = await ledger.keys.find(hashSecret(made.secret));
    expect(found).toEqual(made.key);
    expect(found).toMatchObject({ personName: 'Ann', role: 'approver', policy: 'default', sameHost: false });
    const key = { tenantId: TENANT, keyId: made.key.keyId, by: 'x' };
    expect(await ledger.keys.revoke({ ...key, tenantId: 'other' }).catch(() => 'failed')).toBe(false);
    expect(await ledger.keys.revoke(key)).toBe(true);
    expect(await ledger.keys.revoke(key)).toBe(false);
    expect(await ledger.keys.find(hashSecret(made.secret))).toBeNull();
    expect((await ledger.tenants.get(TENANT))?.epoch).toBe(before + 3);
    const types = (await ledger.events.list(TENANT, { session: '@tenant' })).items.map((item) => item.type);
    expect(types).toEqual(['KeyChanged', 'KeyChanged', 'MembershipChanged', 'TenantCreated']);
    const { rows } = await owner.query('SELECT * FROM api_keys');
    expect(JSON.stringify(rows)).not.toContain(made.secret);
  });

  it('keeps every version of a policy', async () => {
    const document = (deny: string[]) => policyDocumentSchema.parse({ deny });
    const publish = (deny: string[]) =>
      ledger.policies.publish({ tenantId: TENANT, name: 'default', document: document(deny), by: 'x' });
    const first = await publish(['Bash(rm *)']);
    expect(await publish(['Bash(rm *)'])).toEqual(first);
    const [second, third] = await Promise.all([publish(['A']), publish(['B'])]);
    expect([second.version, third.version].sort()).toEqual([2, 3]);
    const current = await ledger.policies.current(TENANT, 'default');
    expect(current).toMatchObject({ version: 3, epoch: (await ledger.tenants.get(TENANT))?.epoch });
    expect((await ledger.policies.byHash(TENANT, first.hash))?.document).toEqual(document(['Bash(rm *)']));
    expect((await ledger.policies.versions(TENANT, 'default')).map((item) => item.version)).toEqual([3, 2, 1]);
    expect(await ledger.policies.names(TENANT)).toEqual(['default']);
    expect(await ledger.policies.current(TENANT, 'none')).toBeNull();
    expect(await ledger.policies.current('other', 'default')).toBeNull();
  });
});

it('remembers the answer to a request with an Idempotency-Key', async () => {
  const request = { tenantId: TENANT, scope: 'key_1', key: 'k', requestHash: 'h1' };
  expect(await ledger.idempotency.begin(request)).toEqual({ kind: 'first' });
  expect(await ledger.idempotency.begin(request)).toEqual({ kind: 'running' });
  expect(await ledger.idempotency.begin({ ...request, requestHash: 'h2' })).toEqual({ kind: 'reused' });
  await ledger.idempotency.finish(request, { status: 200, response: '{"a":"\u0000\\"}' });
  const repeated = { kind: 'repeated', status: 200, response: '{"a":"\u0000\\"}' };
  expect(await ledger.idempotency.begin(request)).toEqual(repeated);
  expect(await ledger.idempotency.begin({ ...request, scope: 'key_2' })).toEqual({ kind: 'first' });
  await ledger.idempotency.forget({ ...request, scope: 'key_2' });
  await owner.query("UPDATE idempotency SET created_at = created_at - interval '3 days'");
  expect((await owner.query('SELECT forget_idempotency(2) AS gone')).rows).toEqual([{ gone: '1' }]);
  expect(await ledger.idempotency.begin(request)).toEqual({ kind: 'first' });
});

describe('pages', () => {
  it('of events stay stable while events are appended', async () => {
    const ids = Array.from({ length: 25 }, (_, index) => `page${index}`);
    await ledger.append([unit('page', 0, [started('page'), ...ids.map((id) => decided('page', id))])]);
    const seen: string[] = [];
    let cursor: string | undefined;
    let seq = 26;
    do {
      const page = await ledger.events.list(TENANT, {
        session: 'page',
        type: 'ToolCallDecided',
        limit: 7,
        ...(cursor ? { cursor } : {}),
      });
      seen.push(...page.items.map((item) => item.callId ?? ''));
      await ledger.append([unit('page', seq, [decided('page', `late${seq}`)], { state: null })]);
      seq += 1;
      cursor = page.next ?? undefined;
    } while (cursor);
    expect(seen).toEqual(ids.map((id) => `call_${id}`).reverse());
    await expect(ledger.events.list(TENANT, { cursor: 'x' })).rejects.toMatchObject({ code: 'request.invalid' });
    const one = await ledger.events.list(TENANT, { call: 'call_page3' });
    expect(one.items.map((item) => item.callId)).toEqual(['call_page3']);
    const none = await ledger.events.list(TENANT, { from: '2020-01-01T00:00:00Z', to: '2020-02-01T00:00:00Z' });
    expect(none).toEqual({ items: [], next: null });
    expect((await ledger.events.list('other', {})).items).toEqual([]);
  });

  it('of asks and sessions hold each item once, however close in time', async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `many${index}`);
    await ledger.append(ids.map((id) => unit(id, 0, [started(id), opened(id, `ask_${id}`)])));
    const collect = async <T>(
      load: (cursor?: string) => Promise<{ items: T[]; next: string | null }>,
    ): Promise<T[]> => {
      const all: T[] = [];
      let cursor: string | undefined;
      do {
        const page = await load(cursor);
        all.push(...page.items);
        cursor = page.next ?? undefined;
      } while (cursor);
      return all;
    };
    const asks = await collect((cursor) => ledger.asks.list({ tenantId: TENANT, status: 'open', cursor, limit: 5 }));
    expect(asks.map((ask) => ask.id).sort()).toEqual(ids.map((id) => `ask_${id}`).sort());
    const sessions = await collect((cursor) => ledger.sessions.list({ tenantId: TENANT, cursor, limit: 5 }));
    expect(
      sessions
        .filter((session) => session.id.startsWith('many'))
        .map((session) => session.id)
        .sort(),
    ).toEqual([...ids].sort());
    expect(new Set(sessions.map((session) => session.id)).size).toBe(sessions.length);
    expect((await ledger.asks.list({ tenantId: TENANT, status: 'approved' })).items).toEqual([]);
    expect((await ledger.asks.list({ tenantId: TENANT, sessionId: 'many3' })).items).toHaveLength(1);
  });
});

it('feeds followers every event once, also those that commit late', async () => {
  const late = new pg.Client({ connectionString: database.ownerUrl });
  await late.connect();
  await late.query('BEGIN');
  const insert = `INSERT INTO events (txid, tenant_id, stream_id, seq, "time", type, version, body, prev_hash, hash)
    VALUES (pg_current_xact_id(), 'feed', 'late', 1, now(), 'X', 1, '{}', '', '')`;
  await late.query(insert);
  await ledger.append([unit('feed', 0, [started('feed')])]);
  const first = await ledger.events.feed(FEED_START, 10_000);
  expect(first.items.some((item) => item.streamId === 'feed' || item.tenantId === 'feed')).toBe(false);
  await late.query('COMMIT');
  await late.end();
  const rest = await ledger.events.feed(first.next, 10_000);
  expect(rest.items.map((item) => item.streamId)).toEqual(['late', 'feed']);
  expect((await ledger.events.feed(rest.next, 10)).items).toEqual([]);
});

it('forgets old call keys, but never those of open asks', async () => {
  await ledger.append([unit('old', 0, [started('old'), decided('old', 'old1'), opened('old', 'ask_old')])]);
  await owner.query("UPDATE call_keys SET created_at = created_at - interval '40 days' WHERE session_id = 'old'");
  expect((await owner.query('SELECT forget_call_keys(30) AS gone')).rows).toEqual([{ gone: '1' }]);
  expect(await ledger.calls.byId(TENANT, 'call_old1')).toBeNull();
  expect(await ledger.calls.byId(TENANT, 'call_use_ask_old')).not.toBeNull();
  await expect(owner.query('SELECT forget_call_keys(0)')).rejects.toThrow('at least one day');
});
