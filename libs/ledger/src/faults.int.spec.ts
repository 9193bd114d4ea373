/** Faults of databases and their clients (C22 to C31), each with its input, against a real Postgres. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestLedger, type TestLedger } from '@countersign/testing';
import { toCallArguments, type Answerer, type CallKey, type SessionEvent } from '@countersign/contracts';
import pg from 'pg';
import { createHash } from 'node:crypto';
import { inTransaction, openDatabase } from './database.js';
import { createLedger, FEED_START, type FeedPosition, type Ledger } from './index.js';
import { isTransient, retrying } from './retry.js';
import { decided, opened, started, TENANT, unit } from './spec-data.js';
import { rechain } from './spec-rechain.js';

let house: TestLedger;
let ledger: Ledger;
let owner: TestLedger['owner'];
let database: TestLedger['database'];

beforeAll(async () => {
  house = await openTestLedger(TENANT);
  ({ ledger, owner, database } = house);
}, 60_000);

afterAll(() => house?.close());

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const ANN: Answerer = { channel: 'web', personId: 'person_ann', personName: 'Ann' };
const key = (sessionId: string, toolUseId: string): CallKey => ({
  tenantId: TENANT,
  sessionId,
  agent: 'claude-code',
  toolUseId,
  attempt: 1,
});

async function store(sessionId: string, ...events: SessionEvent[]): Promise<void> {
  const [result] = await ledger.append([unit(sessionId, 0, [started(sessionId), ...events])]);
  expect(result).toMatchObject({ ok: true });
}

const stream = (streamId: string) => ledger.events.ofStream({ tenantId: TENANT, streamId }, 0, 1_000);

/** Everything after a position that may be seen now. */
async function readOn(after: FeedPosition): Promise<{ names: string[]; next: FeedPosition }> {
  const names: string[] = [];
  for (let next = after; ;) {
    const page = await ledger.follow({ after: next, limit: 1_000 });
    names.push(...page.items.map((event) => `${event.streamId}/${event.seq}`));
    ({ next } = page);
    if (!page.more) return { names, next };
  }
}

/** Where a follower stands that has seen all. Transactions of other databases of the cluster may hold it up for a moment. */
async function caughtUp(): Promise<FeedPosition> {
  let at = FEED_START;
  await waitFor(async () => {
    at = (await readOn(at)).next;
    return (await ledger.events.lag(at)).events === 0;
  });
  return at;
}

async function waitFor(check: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await check()) return;
    await pause(25);
  }
  throw new Error('it did not come to pass');
}

const sequenceOf = "pg_get_serial_sequence('events', 'position')";

describe('a burst', () => {
  it('C22 gives 200 answers within a moment over a pool of 10, each whole or refused', async () => {
    const small = createLedger({ databaseUrl: database.appUrl, poolSize: 10 });
    const sessions = Array.from({ length: 40 }, (_, i) => `burst${i}`);
    const asks = sessions.flatMap((session) =>
      Array.from({ length: 5 }, (_, i) => ({ session, ask: `${session}_${i}` })),
    );
    for (const session of sessions) {
      await store(session, ...asks.filter((one) => one.session === session).map(({ ask }) => opened(session, ask)));
    }
    const results = await Promise.all(
      asks.map(({ session, ask }) =>
        small.execute(
          { tenantId: TENANT, sessionId: session },
          {
            type: 'AnswerAsk',
            askId: ask,
            answer: 'approve',
            scope: 'once',
            by: ANN,
            reason: null,
            grantId: `g_${ask}`,
          },
        ),
      ),
    );
    const codes = new Set(results.flatMap((result) => (result.ok ? [] : [result.code])));
    expect([...codes].every((code) => code === 'unavailable')).toBe(true);
    expect(results.filter((result) => result.ok).length).toBeGreaterThan(150);
    for (const session of sessions) {
      const events = await stream(session);
      const ends = (type: string) =>
        events
          .filter((event) => event.type === type)
          .map((event) => event.askId)
          .sort();
      const accepted = asks.filter(({ session: own }, i) => own === session && results[i]?.ok).map(({ ask }) => ask);
      expect(ends('AskResolved')).toEqual(accepted.sort());
      expect(ends('ToolCallDecided')).toEqual(accepted.sort());
    }
    await small.close();
  }, 60_000);

  it('C22 says at once that there is no connection, and goes on when there is one again', async () => {
    const crowded = createLedger({ databaseUrl: database.appUrl, poolSize: 6 });
    await owner.query(`ALTER DATABASE ${database.name} CONNECTION LIMIT 1`);
    await owner.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND usename <> current_user',
    );
    const tries = await Promise.allSettled(
      Array.from({ length: 6 }, () => crowded.append([unit('none', null, [opened('none', 'a')])])),
    );
    const codes = tries.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code?: string }).code] : []));
    expect(new Set(codes)).toEqual(new Set(['53300']));
    await owner.query(`ALTER DATABASE ${database.name} CONNECTION LIMIT -1`);
    const [made] = await crowded.append([unit('crowded', 0, [started('crowded')])]);
    expect(made).toMatchObject({ ok: true });
    await crowded.close();
  });
});

describe('a transaction that is given up', () => {
  it('C23 leaves its connection clean: the next append is a transaction of its own', async () => {
    await store('given-up');
    const db = openDatabase({ databaseUrl: database.appUrl, poolSize: 1 });
    const txid = async (client: pg.PoolClient) =>
      (await client.query<{ id: string }>('SELECT pg_current_xact_id()::text AS id')).rows[0]?.id;
    let first: string | undefined;
    const given = inTransaction(db.pool, async (client) => {
      first = await txid(client);
      await client.query("SET LOCAL statement_timeout = '200ms'");
      await client.query('SELECT pg_sleep(5)');
    });
    const idle = createLedger({ databaseUrl: database.appUrl, poolSize: 1 });
    await expect(given).rejects.toMatchObject({ code: '57014' });
    const second = await inTransaction(db.pool, txid);
    expect(second).not.toBe(first);
    const [stored] = await idle.append([unit('given-up', 1, [decided('given-up', 'g1')])]);
    expect(stored).toMatchObject({ ok: true });
    expect((await stream('given-up')).map((event) => event.seq)).toEqual(['1', '2']);
    await idle.close();
    await db.close();
  });

  it('C23 is ended by the server when its process hangs, and the connection is replaced', async () => {
    const db = openDatabase({ databaseUrl: database.appUrl, poolSize: 1 });
    const hanging = inTransaction(db.pool, async (client) => {
      await client.query("SET LOCAL idle_in_transaction_session_timeout = '100ms'");
      await pause(600);
      await client.query('SELECT 1');
    });
    await expect(hanging).rejects.toThrow(/terminat|not queryable|closed/i);
    expect((await db.pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await db.close();
  });

  it('C23 the application role has its limits on the server, whoever pools its connections', async () => {
    const { rows } = await owner.query<{ config: string[] }>(
      "SELECT rolconfig AS config FROM pg_roles WHERE rolname = 'countersign_test_app'",
    );
    expect(rows[0]?.config).toEqual(
      expect.arrayContaining(['statement_timeout=30s', 'idle_in_transaction_session_timeout=5s', 'lock_timeout=4s']),
    );
  });
});

describe('deadlocks', () => {
  it('C24 are tried again, through the driver and through Prisma, and nothing is done twice', async () => {
    const db = openDatabase({ databaseUrl: database.ownerUrl, poolSize: 20 });
    await owner.query('CREATE TABLE crossed (id int PRIMARY KEY, n int NOT NULL)');
    await owner.query('INSERT INTO crossed VALUES (1, 0), (2, 0)');
    await owner.query(`ALTER DATABASE ${database.name} SET deadlock_timeout = '10ms'`);
    const bump = 'UPDATE crossed SET n = n + 1 WHERE id = $1';
    const order = (i: number): [number, number] => (i % 2 === 0 ? [1, 2] : [2, 1]);
    const raw = (i: number) =>
      inTransaction(db.pool, async (client) => {
        for (const id of order(i)) await client.query(bump, [id]);
      });
    const prisma = (i: number) =>
      retrying(() =>
        db.prisma.$transaction(
          order(i).map((id) => db.prisma.$executeRawUnsafe(bump, id)),
          { isolationLevel: 'Serializable' },
        ),
      );
    const done = await Promise.allSettled(Array.from({ length: 50 }, (_, i) => (i % 4 < 2 ? raw(i) : prisma(i))));
    const failures = done.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    // Five tries may be used up; then it is an error that doors tell as 503, never half of the work.
    for (const failure of failures) expect(isTransient(failure)).toBe(true);
    const { rows } = await owner.query<{ n: number }>('SELECT n FROM crossed ORDER BY id');
    const worked = done.length - failures.length;
    expect(rows).toEqual([{ n: worked }, { n: worked }]);
    expect(worked).toBeGreaterThan(0);
    await db.close();
    await owner.query(`ALTER DATABASE ${database.name} RESET deadlock_timeout`);
    await owner.query('DROP TABLE crossed');
  }, 60_000);

  it('C24 two changes of one tenant at the same moment wait for each other in one order', async () => {
    const before = await deadlocks();
    await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const killId = `cross${i}`;
        const by = 'Ann';
        await ledger.executeTenant(TENANT, { type: 'EngageKill', killId, scope: 'tool', value: 'X', reason: 'r', by });
        await ledger.people.create({ tenantId: TENANT, name: `p${i}`, groups: [], roles: ['approver'], by });
        await ledger.executeTenant(TENANT, { type: 'ReleaseKill', killId, by });
      }),
    );
    await pause(100);
    expect(await deadlocks()).toBe(before);
  }, 60_000);
});

async function deadlocks(): Promise<number> {
  const { rows } = await owner.query<{ n: string }>(
    'SELECT deadlocks::text AS n FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(rows[0]?.n ?? -1);
}

describe('what JSON can hold and a database cannot', () => {
  const args = (value: unknown, text: string) => toCallArguments({ value, problem: null, rawText: () => text }, sha256);

  it('C25 nothing, an empty object and a null are three different things, stored and shown apart', async () => {
    const forms = [args({}, '{}'), args({ flag: null }, '{"flag":null}'), args(undefined, '')];
    await store('nulls', ...forms.map((form, i) => decided('nulls', `n${i}`, { args: form })));
    const read = (await stream('nulls'))
      .slice(1)
      .map((event) => (event.body as { request: { args: unknown } }).request.args);
    expect(read).toEqual(forms);
    expect(new Set(forms.map((form) => form.hash)).size).toBe(3);
    expect(read).toMatchObject([
      { json: '{}' },
      { json: '{"flag":null}' },
      { state: 'invalid', problem: 'not_an_object' },
    ]);
    const bodies = await owner.query<{ n: string }>(
      `SELECT count(*)::text AS n FROM events WHERE stream_id = 'nulls' AND body LIKE '%{\\\\"flag\\\\":null}%'`,
    );
    expect(bodies.rows).toEqual([{ n: '1' }]);
  });

  it('C26 a NUL is stored as its escape and comes back as it was, in bodies and in columns', async () => {
    const command = 'printf "a\u0000b"';
    const form = args({ command }, JSON.stringify({ command }));
    await store('nul', decided('nul', 'use\u0000id', { args: form, tool: 'Ba\u0000sh', description: 'x\u0000y' }));
    const [, event] = await stream('nul');
    expect(event).toMatchObject({ tool: 'Ba\u0000sh', callId: 'call_use\u0000id' });
    const { request } = event?.body as { request: { args: { json: string; hash: string }; toolUseId: string } };
    expect(JSON.parse(request.args.json)).toEqual({ command });
    expect(request.args.hash).toBe(sha256(request.args.json));
    expect(request.toolUseId).toBe('use\u0000id');
    expect((await ledger.calls.byKeys([key('nul', 'use\u0000id')]))[0]?.prior.tool).toBe('Ba\u0000sh');
    expect((await ledger.verify(TENANT)).problems).toEqual([]);
  });

  it('C26 a lone surrogate costs no event: the call is recorded with what could not be judged', async () => {
    const raw = '{"path":"a\\ud800b"}';
    const form = toCallArguments({ value: JSON.parse(raw), problem: 'lone_surrogate', rawText: () => raw }, sha256);
    await store('surrogate', decided('surrogate', 's\ud800', { args: form, description: 'd\ud800' }));
    const [, event] = await stream('surrogate');
    expect((event?.body as { request: { args: unknown } }).request.args).toMatchObject({
      state: 'invalid',
      hash: sha256(raw),
    });
    expect((await ledger.calls.byKeys([key('surrogate', 's\ud800')])).length).toBe(1);
    expect((await ledger.verify(TENANT)).problems).toEqual([]);
  });

  it('C27 numbers beyond 2^53 are text everywhere and stay exact', async () => {
    await store('big');
    await owner.query(`SELECT setval(${sequenceOf}, 9007199254740992)`);
    await ledger.append([unit('big', 1, [decided('big', 'b1'), decided('big', 'b2')])]);
    const page = await ledger.events.list(TENANT, { session: 'big', limit: 2 });
    expect(page.items.map((event) => event.position)).toEqual(['9007199254740994', '9007199254740993']);
    const rest = await ledger.events.list(TENANT, { session: 'big', limit: 2, cursor: page.next ?? '' });
    expect(rest.items.map((event) => event.seq)).toEqual(['1']);
    expect(JSON.parse(JSON.stringify(page)).items[1].position).toBe('9007199254740993');
    await caughtUp();
    const [{ txid } = { txid: '' }] = (
      await owner.query<{ txid: string }>("SELECT txid::text FROM events WHERE stream_id = 'big' AND seq = 2")
    ).rows;
    const after = { txid, position: '9007199254740992' };
    const { items } = await ledger.follow({ after, limit: 1, types: ['ToolCallDecided'] });
    expect(items.map((event) => event.position)).toEqual(['9007199254740993']);
  });
});

describe('a follower', () => {
  /** Appends inside a transaction that stays open until `end` is called. */
  async function openTransaction(sessionId: string, toolUse: string) {
    let end: () => void = () => undefined;
    let began: () => void = () => undefined;
    const ready = new Promise<void>((resolve) => (began = resolve));
    const go = new Promise<void>((resolve) => (end = resolve));
    const head = { tenantId: TENANT, streamId: sessionId };
    const committed = ledger.withLockedHeads([head], async (tx) => {
      const [stored] = await tx.append([unit(sessionId, 1, [decided(sessionId, toolUse)])]);
      expect(stored).toMatchObject({ ok: true });
      began();
      await go;
    });
    await ready;
    return { end, committed };
  }

  it('C28 delivers what committed late, once, and in the order that it will always see', async () => {
    await store('late');
    await store('early');
    const next = await caughtUp();
    const first = await openTransaction('late', 'l1');
    await ledger.append([unit('early', 1, [decided('early', 'e1')])]);
    const during = await readOn(next);
    expect(during.names).toEqual([]);
    expect(await ledger.events.lag(next)).toMatchObject({ events: 1 });
    first.end();
    await first.committed;
    let after = during.next;
    const seen: string[] = [];
    await waitFor(async () => {
      const read = await readOn(after);
      seen.push(...read.names);
      after = read.next;
      return seen.length >= 2;
    });
    expect(seen).toEqual(['late/2', 'early/2']);
    expect((await readOn(next)).names).toEqual(seen);
    expect(await ledger.events.lag(after)).toEqual({ events: 0, seconds: 0 });
  });

  it('C28 misses nothing when a later transaction holds a lower number (sequence cache of 50)', async () => {
    await owner.query(`SELECT setval(${sequenceOf}, 9007199254741000)`);
    await owner.query('ALTER TABLE events ALTER COLUMN position SET CACHE 50');
    const [one, two] = [1, 2].map(() => createLedger({ databaseUrl: database.appUrl, poolSize: 1 })) as [
      Ledger,
      Ledger,
    ];
    const next = await caughtUp();
    let after = next;
    const seen: string[] = [];
    const poll = async (): Promise<void> => {
      const read = await readOn(after);
      seen.push(...read.names);
      after = read.next;
    };
    for (const [source, id] of [
      [one, 'cache1'],
      [two, 'cache2'],
      [one, 'cache3'],
      [two, 'cache4'],
    ] as const) {
      await source.append([unit(id, 0, [started(id)])]);
      await poll();
    }
    await waitFor(async () => {
      await poll();
      return seen.length >= 4;
    });
    expect(seen).toEqual(['cache1/1', 'cache2/1', 'cache3/1', 'cache4/1']);
    const { rows } = await owner.query<{ id: string }>(
      "SELECT stream_id AS id FROM events WHERE stream_id LIKE 'cache_' ORDER BY position",
    );
    // The variant happened: by number alone the third would stand before the second, and a reader past the second lose it.
    expect(rows.map((row) => row.id)).toEqual(['cache1', 'cache3', 'cache2', 'cache4']);
    await Promise.all([one.close(), two.close()]);
    await owner.query('ALTER TABLE events ALTER COLUMN position SET CACHE 1');
  });

  it('C28 goes on past types that it does not want', async () => {
    const next = await caughtUp();
    await store('types', decided('types', 't1'));
    await waitFor(async () => (await readOn(next)).names.length === 2);
    const first = await ledger.follow({ after: next, types: ['ToolCallDecided'], limit: 1 });
    expect(first).toMatchObject({ items: [], more: true });
    const second = await ledger.follow({ after: first.next, types: ['ToolCallDecided'], limit: 1 });
    expect(second.items.map((event) => event.callId)).toEqual(['call_t1']);
  });

  it('C29 is not held up by numbers that a rollback left out; the stream itself has no gap', async () => {
    await store('gaps');
    const next = await caughtUp();
    const head = { tenantId: TENANT, streamId: 'gaps' };
    await ledger.append([unit('gaps', 1, [decided('gaps', 'gap1')])]);
    const rolledBack = ledger.withLockedHeads([head], async (tx) => {
      await tx.append([unit('gaps', 2, [decided('gaps', 'gap2')])]);
      throw new Error('changed its mind');
    });
    await expect(rolledBack).rejects.toThrow('changed its mind');
    await ledger.append([unit('gaps', 2, [decided('gaps', 'gap3')])]);
    await waitFor(async () => (await readOn(next)).names.length === 2);
    const events = await stream('gaps');
    expect(events.map((event) => event.seq)).toEqual(['1', '2', '3']);
    const positions = events.map((event) => BigInt(event.position));
    expect((positions[2] ?? 0n) - (positions[1] ?? 0n)).toBe(2n);
    expect((await ledger.verify(TENANT)).problems).toEqual([]);
  });
});

describe('time and partitions', () => {
  it('C30 a call key stays unique across the border of a month', async () => {
    await store('border', decided('border', 'k1'));
    const month = "date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC')";
    const late = `(${month} AT TIME ZONE 'UTC') - interval '0.1 s'`;
    await owner.query(`UPDATE events SET "time" = ${late} WHERE stream_id = 'border'`);
    await owner.query(`UPDATE call_keys SET created_at = ${late}, decided_at = ${late} WHERE session_id = 'border'`);
    const { rows } = await owner.query(
      `SELECT DISTINCT e.tableoid::regclass::text = 'events_' || to_char(${month} - interval '1 month', 'YYYY_MM') AS "isBefore"
       FROM events e WHERE stream_id = 'border'`,
    );
    expect(rows).toEqual([{ isBefore: true }]);
    const again = await ledger.append([unit('border', 2, [decided('border', 'k1')])]);
    expect(again).toMatchObject([{ ok: false, conflict: 'key' }]);
    expect((await ledger.calls.byKeys([key('border', 'k1')]))[0]?.prior.status).toBe('decided');
    await owner.query("DELETE FROM events WHERE stream_id = 'border'");
    await owner.query("DELETE FROM heads WHERE stream_id = 'border'");
  });

  it('C31 events of a long transaction carry the time of their append, and numbers order them', async () => {
    await store('slow');
    await store('between');
    const head = { tenantId: TENANT, streamId: 'slow' };
    await ledger.withLockedHeads([head], async (tx) => {
      for (const seq of [1, 2, 3]) {
        await tx.append([unit('slow', seq, [decided('slow', `w${seq}`)])]);
        if (seq === 2) await ledger.append([unit('between', 1, [decided('between', 'w')])]);
        await pause(50);
      }
    });
    const [slow, [, between]] = [await stream('slow'), await stream('between')];
    const times = slow.map((event) => event.time);
    expect(new Set(times).size).toBe(4);
    expect([...times].sort()).toEqual(times);
    const order = [...slow.slice(1), between].map((event) => ({
      at: event?.time ?? '',
      position: BigInt(event?.position ?? 0),
    }));
    order.sort((a, b) => (a.position < b.position ? -1 : 1));
    expect(order.map((event) => event.at)).toEqual(order.map((event) => event.at).sort());
  });

  it('C31 a clock that was set back breaks no chain: nothing is verified by time', async () => {
    await store('back', decided('back', 'z1'), decided('back', 'z2'));
    // Each event half a month before the one it follows.
    await rechain(
      owner,
      'back',
      [1, 0.5, 0].map((months) => new Date(Date.now() + (months - 1) * 28 * 86_400_000)),
    );
    expect((await ledger.verify(TENANT)).problems).toEqual([]);
    const [next] = await ledger.append([unit('back', 3, [decided('back', 'z3')])]);
    expect(next).toMatchObject({ ok: true });
    expect((await ledger.verify(TENANT)).problems).toEqual([]);
  });
});
