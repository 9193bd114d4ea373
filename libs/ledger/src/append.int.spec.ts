/** The event store against a real Postgres: chain, conflicts, guards, and what the application role may not do. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestLedger, type TestLedger } from '@countersign/testing';
import type { CallKey, SessionEvent } from '@countersign/contracts';
import { replay } from '@countersign/approval';
import pg from 'pg';
import { createLedger, type Ledger, type UnitResult } from './index.js';
import { decided, opened, OPENING, started, TENANT, unit } from './spec-data.js';

let house: TestLedger;
let ledger: Ledger;
let owner: TestLedger['owner'];
let database: TestLedger['database'];

beforeAll(async () => {
  house = await openTestLedger(TENANT);
  ({ ledger, owner, database } = house);
}, 60_000);

afterAll(() => house?.close());

const key = (sessionId: string, toolUseId: string, agent = 'claude-code'): CallKey => ({
  tenantId: TENANT,
  sessionId,
  agent,
  toolUseId,
  attempt: 1,
});

async function open(sessionId: string): Promise<void> {
  const [result] = await ledger.append([unit(sessionId, 0, [started(sessionId)])]);
  expect(result).toMatchObject({ ok: true });
}

async function headSeq(sessionId: string): Promise<number> {
  return (await ledger.sessions.get(TENANT, sessionId))?.seq ?? 0;
}

describe('a round', () => {
  it('stores events, heads and call keys, and gives sequence numbers and hashes back', async () => {
    const events = [started('basic'), decided('basic', 'b1'), decided('basic', 'b2')];
    const [result] = await ledger.append([unit('basic', 0, events)]);
    expect(result).toMatchObject({ ok: true, asks: [] });
    expect(appendedOf(result).map((item) => item.seq)).toEqual([1, 2, 3]);
    const round = await ledger.loadRound({
      tenants: [TENANT, 'nobody'],
      streams: [
        { tenantId: TENANT, streamId: 'basic', knownSeq: null },
        { tenantId: TENANT, streamId: 'absent', knownSeq: null },
      ],
      keys: [key('basic', 'b2'), key('basic', 'none')],
      hashJoins: [],
    });
    expect([...round.epochs]).toEqual([[TENANT, expect.any(Number)]]);
    expect(round.heads).toHaveLength(1);
    expect(round.heads[0]).toMatchObject({ seq: 3, keyId: 'key_1', rootId: 'basic', state: replay(events) });
    expect(round.keys).toHaveLength(1);
    expect(round.keys[0]?.prior).toMatchObject({
      callId: 'call_b2',
      status: 'decided',
      outcome: { decision: 'allow' },
    });
    const known = { tenantId: TENANT, streamId: 'basic', knownSeq: 3 };
    expect((await ledger.loadRound({ tenants: [], streams: [known], keys: [], hashJoins: [] })).heads).toEqual([]);
  });

  it('reports stale units and stores the others', async () => {
    await open('c1');
    await open('c2');
    const results = await ledger.append([
      unit('c1', 7, [decided('c1', 'c1a')]),
      unit('c2', 1, [decided('c2', 'c2a')]),
      unit('c3', 1, [decided('c3', 'c3a')]),
      unit('c4', null, [reported('nothing to append to')]),
      unit('c2', 1, [decided('c2', 'c2b')]),
      unit('c2', 2, [decided('c2', 'c2c')]),
    ]);
    expect(results.map(kindOf)).toEqual(['seq', 'ok', 'seq', 'seq', 'seq', 'ok']);
    expect([await headSeq('c1'), await headSeq('c2')]).toEqual([1, 3]);
  });

  it('stores a unit of two streams whole or not at all', async () => {
    await open('w1');
    const child = unit('w2', 0, [started('w2', { parentId: 'w1' }, 'w1')]);
    const both = { ...child, streams: [...child.streams, ...unit('w1', 9, [decided('w1', 'w1a')]).streams] };
    expect((await ledger.append([both])).map(kindOf)).toEqual(['seq']);
    expect(await ledger.sessions.get(TENANT, 'w2')).toBeNull();
    const { rows } = await owner.query("SELECT 1 FROM heads WHERE stream_id = 'w2'");
    expect(rows).toEqual([]);
  });

  it('refuses what was decided on an ancestor that moved, or under an old epoch', async () => {
    await open('a1');
    const child = [started('a2', { parentId: 'a1' }, 'a1')];
    const on = (seq: number) => [{ tenantId: TENANT, streamId: 'a1', seq }];
    const epoch = (await ledger.tenants.get(TENANT))?.epoch ?? 0;
    const under = (value: number) => [{ tenantId: TENANT, epoch: value }];
    const results = await ledger.append([
      unit('a2', 0, child, { unmoved: on(2) }),
      unit('a3', 0, [started('a3')], { epochs: under(epoch + 1) }),
      unit('a4', 0, [started('a4')], { epochs: under(epoch), unmoved: on(1) }),
    ]);
    expect(results.map(kindOf)).toEqual(['unmoved', 'epoch', 'ok']);
    const raised = { ...unit('a4', 1, [decided('a4', 'a4x')]), raiseEpoch: [TENANT] };
    expect((await ledger.append([raised])).map(kindOf)).toEqual(['ok']);
    expect((await ledger.append([unit('a5', 0, [started('a5')], { epochs: under(epoch) })])).map(kindOf)).toEqual([
      'epoch',
    ]);
  });

  it('lets a key be used once, also across partitions', async () => {
    await open('k1');
    await ledger.append([unit('k1', 1, [decided('k1', 'once')])]);
    await owner.query(
      `CREATE TABLE events_2020_01 PARTITION OF events FOR VALUES FROM ('2020-01-01') TO ('2020-02-01')`,
    );
    await owner.query("UPDATE events SET time = '2020-01-31T23:59:59.9Z' WHERE stream_id = 'k1' AND seq = 2");
    const again = decided('k1', 'once', { callId: 'call_other' });
    expect((await ledger.append([unit('k1', 2, [again])])).map(kindOf)).toEqual(['key']);
    expect((await ledger.append([unit('k1', 2, [decided('k1', 'twice')])])).map(kindOf)).toEqual(['ok']);
    await owner.query("DELETE FROM events WHERE stream_id = 'k1'");
    await owner.query("DELETE FROM heads WHERE stream_id = 'k1'");
  });

  it('fails only the guilty unit when a round raises', async () => {
    for (const id of ['g1', 'g2', 'g3']) await open(id);
    const twice = [decided('g2', 'x1'), decided('g2', 'x1', { callId: 'call_x2' })];
    const results = await ledger.append([
      unit('g1', 1, [decided('g1', 'g1a')]),
      unit('g2', 1, twice),
      unit('g3', 1, [decided('g3', 'g3a')]),
      unit('g4', 0, [{ type: 'SessionStopped', version: 1, body: { reason: 7 } } as unknown as SessionEvent]),
      unit('g5', 0, []),
    ]);
    expect(results.map(kindOf)).toEqual(['ok', 'error', 'ok', 'error', 'error']);
    expect([await headSeq('g1'), await headSeq('g2'), await headSeq('g3')]).toEqual([2, 1, 2]);
  });

  it('does not compress the events of common calls, also not in months to come', async () => {
    const body = 'x'.repeat(3_000);
    await ledger.append([unit('plain', 0, [started('plain'), reported(body)])]);
    const compressed = await owner.query(
      "SELECT 1 FROM events WHERE stream_id = 'plain' AND pg_column_compression(body) IS NOT NULL",
    );
    expect(compressed.rows).toEqual([]);
    await owner.query('SELECT make_partitions(14)');
    const { rows } = await owner.query<{ options: string[] | null }>(
      `SELECT reloptions AS options FROM pg_class JOIN pg_inherits ON inhrelid = oid
       WHERE inhparent = 'events'::regclass AND relname NOT LIKE '%2020_01'`,
    );
    expect(rows.length).toBeGreaterThan(14);
    for (const { options } of rows) expect(options).toContain('toast_tuple_target=4096');
  });

  it('keeps NUL, lone surrogates, backslashes and every script intact', async () => {
    const wild = 'a\u0000b\\c\ud800 \u202e \u{1f600} 漢字 "q"';
    const sessionId = `wild ${wild}`;
    const change = { agent: wild, tool: wild, callId: `call_${wild}` };
    const [result] = await ledger.append([
      unit(sessionId, 0, [started(sessionId), decided(sessionId, wild, change), reported(wild)]),
    ]);
    expect(kindOf(result)).toBe('ok');
    const page = await ledger.events.list(TENANT, { session: sessionId });
    expect(page.items.map((item) => item.seq)).toEqual(['3', '2', '1']);
    expect(page.items[1]).toMatchObject({ streamId: sessionId, agent: wild, tool: wild, callId: `call_${wild}` });
    expect(page.items[0]?.body).toEqual({ kind: 'note', detail: wild });
    expect((await ledger.calls.byId(TENANT, `call_${wild}`))?.key).toEqual(key(sessionId, wild, wild));
    expect((await ledger.sessions.get(TENANT, sessionId))?.id).toBe(sessionId);
  });
});

describe('many writers', () => {
  it('make one unbroken chain out of 200 appends to one session, 20 at once', async () => {
    await open('hot');
    const pools = [1, 2, 3, 4].map(() => createLedger({ databaseUrl: database.appUrl, poolSize: 5 }));
    const write = async (store: Ledger, index: number): Promise<void> => {
      const locked = await store.withLockedHeads([{ tenantId: TENANT, streamId: 'hot' }], async (tx) => {
        const stream = { tenantId: TENANT, streamId: 'hot', knownSeq: null };
        const round = await tx.loadRound({ tenants: [], streams: [stream], keys: [], hashJoins: [] });
        return tx.append([unit('hot', round.heads[0]?.seq ?? 0, [decided('hot', `h${index}`)])]);
      });
      expect(locked.map(kindOf)).toEqual(['ok']);
    };
    // One writer for each connection: whoever waits for a connection gives up after a time, and a busy machine is slow.
    const writers = pools.flatMap((store) => Array.from({ length: 5 }, () => store));
    const ten = async (store: Ledger, writer: number): Promise<void> => {
      for (let n = 0; n < 10; n += 1) await write(store, writer * 10 + n);
    };
    await Promise.all(writers.map(ten));
    await Promise.all(pools.map((store) => store.close()));
    expect(await headSeq('hot')).toBe(201);
    expect((await ledger.verify(TENANT)).problems).toEqual([]);
    expect(await ledger.events.ofStream({ tenantId: TENANT, streamId: 'hot' }, 0, 500)).toHaveLength(201);
  }, 30_000);

  it('never die of each other, whatever the order of their streams', async () => {
    await open('d1');
    await open('d2');
    const pools = [1, 2].map(() => createLedger({ databaseUrl: database.appUrl, poolSize: 10 }));
    const note = (id: string) => unit(id, null, [reported('x')]);
    const both = (first: string, second: string) => ({
      ...note(first),
      streams: [...note(first).streams, ...note(second).streams],
    });
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, index) => {
        const store = pools[index % 2] ?? ledger;
        return store.append([index % 2 === 0 ? both('d1', 'd2') : both('d2', 'd1')]);
      }),
    );
    await Promise.all(pools.map((store) => store.close()));
    expect(results.flat().filter((result) => !result.ok)).toEqual([]);
    expect([await headSeq('d1'), await headSeq('d2')]).toEqual([201, 201]);
  }, 30_000);

  it('open a session once when all of them try', async () => {
    const tries = Array.from({ length: 20 }, () => ledger.append([unit('new', 0, [started('new')])]));
    const kinds = (await Promise.all(tries)).flat().map(kindOf);
    expect(kinds.filter((kind) => kind === 'ok')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'seq')).toHaveLength(19);
  });

  it('resolve an ask once when fifty race for it', async () => {
    await ledger.append([unit('race', 0, [started('race'), opened('race', 'ask_race')])]);
    const by = (name: string) => ({ channel: 'web' as const, personId: name, personName: name });
    const answers = Array.from({ length: 50 }, (_, index) =>
      ledger.execute(
        { tenantId: TENANT, sessionId: 'race' },
        {
          type: 'AnswerAsk',
          askId: 'ask_race',
          answer: index % 2 === 0 ? 'approve' : 'reject',
          scope: 'once',
          by: by(`p${index}`),
          reason: null,
          grantId: `grant_${index}`,
        },
      ),
    );
    const results = await Promise.all(answers);
    const losers = results.filter((result) => !result.ok);
    expect(losers).toHaveLength(49);
    const codes = new Set(losers.map((loser) => loser.code));
    expect([...codes]).toEqual(['ask.already_resolved']);
    const ask = await ledger.asks.get(TENANT, 'ask_race');
    expect(losers.every((loser) => loser.ask?.resolvedBy === ask?.resolvedBy)).toBe(true);
    const events = await ledger.events.list(TENANT, { session: 'race', limit: 500 });
    const count = (type: string) => events.items.filter((item) => item.type === type).length;
    expect([count('AskResolved'), count('ToolCallDecided'), count('AskAnswerRefused')]).toEqual([1, 1, 49]);
  }, 30_000);
});

describe('the application role', () => {
  it.each(['events', 'heads', 'asks', 'call_keys', 'grants'])('may read %s but not write it', async (table) => {
    const app = new pg.Client({ connectionString: database.appUrl });
    await app.connect();
    const column = table === 'heads' || table === 'call_keys' ? 'tenant_id' : table === 'events' ? 'type' : 'status';
    await app.query(`SELECT * FROM ${table} LIMIT 1`);
    const denied = { code: '42501' };
    await expect(app.query(`INSERT INTO ${table} (${column}) VALUES ('x')`)).rejects.toMatchObject(denied);
    await expect(app.query(`UPDATE ${table} SET ${column} = 'x'`)).rejects.toMatchObject(denied);
    await expect(app.query(`DELETE FROM ${table}`)).rejects.toMatchObject(denied);
    await expect(app.query(`TRUNCATE ${table}`)).rejects.toMatchObject(denied);
    await expect(app.query(`SELECT * FROM ${table} FOR UPDATE`)).rejects.toMatchObject(denied);
    await app.end();
  });

  it('cannot go around: no partitions, no chores, no changed policy or epoch, no tables of its own', async () => {
    const app = new pg.Client({ connectionString: database.appUrl });
    await app.connect();
    const { rows } = await owner.query<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'events'::regclass`,
    );
    const forbidden = [
      ...rows.map((row) => `INSERT INTO ${row.name} (type) VALUES ('x')`),
      ...rows.map((row) => `SELECT * FROM ${row.name}`),
      'SELECT make_partitions(1)',
      'SELECT forget_call_keys(1)',
      'SELECT forget_idempotency(1)',
      "UPDATE policies SET document = '{}'",
      'DELETE FROM policies',
      'UPDATE tenants SET epoch = 0',
      "UPDATE api_keys SET role = 'admin'",
      'CREATE TABLE mine (x int)',
      'CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
    ];
    for (const statement of forbidden) {
      await expect(app.query(statement)).rejects.toMatchObject({ code: '42501' });
    }
    const timeouts = await app.query(
      "SELECT current_setting('statement_timeout') AS s, current_setting('idle_in_transaction_session_timeout') AS i",
    );
    expect(timeouts.rows).toEqual([{ s: '30s', i: '5s' }]);
    await app.end();
  });
});

it('opens children under their parent', async () => {
  await open('p1');
  const child = started('p2', { ...OPENING, parentId: 'p1' }, 'p1');
  await ledger.append([unit('p2', 0, [child, opened('p2', 'ask_child')], { unmoved: [] })]);
  expect((await ledger.asks.get(TENANT, 'ask_child'))?.path).toEqual(['p1', 'p2']);
});

function reported(detail: string): SessionEvent {
  return { type: 'AgentReported', version: 1, body: { kind: 'note', detail } };
}

function kindOf(result: UnitResult | undefined): string {
  if (!result) return 'none';
  if (result.ok) return 'ok';
  return 'conflict' in result ? result.conflict : 'error';
}

function appendedOf(result: UnitResult | undefined) {
  return result?.ok ? result.appended : [];
}
