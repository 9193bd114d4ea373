/** A database that goes away and comes back: every wait ends, nothing is half written, and the same ledger goes on. */
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createLedger, migrate, startCluster, type Cluster, type Ledger } from './index.js';
import { decided, started, TENANT, unit } from './spec-data.js';

let folder: string;
let cluster: Cluster;
let ledger: Ledger;
let appUrl: URL;
const said: Error[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-outage-'));
  await chmod(folder, 0o755);
  const settings = ['fsync = off', 'synchronous_commit = off', 'full_page_writes = off'];
  cluster = await startCluster({
    folder: path.join(folder, 'cluster'),
    ownerPassword: randomUUID(),
    port: null,
    settings,
  });
  await migrate({ ownerUrl: cluster.ownerUrl, appRole: 'app', appPassword: 'app', monthsAhead: 1 });
  appUrl = new URL(cluster.ownerUrl);
  appUrl.username = 'app';
  appUrl.password = 'app';
  ledger = createLedger({ databaseUrl: appUrl.href, onError: (error) => said.push(error) });
  await ledger.tenants.ensure({ id: TENANT, name: 'Acme' });
}, 90_000);

afterAll(async () => {
  await ledger?.close();
  await cluster?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Appends one call after another until told to stop; what was answered `ok` must be there, what failed at most once. */
async function appendOn(sessionId: string, state: { stop: boolean }) {
  const stored: string[] = [];
  const failed: string[] = [];
  let seq = 1;
  for (let i = 0; !state.stop; i += 1) {
    const name = `${sessionId}_${i}`;
    try {
      const [result] = await ledger.append([unit(sessionId, seq, [decided(sessionId, name)])]);
      if (result?.ok) stored.push(`call_${name}`);
      else failed.push(`call_${name}`);
    } catch {
      failed.push(`call_${name}`);
    }
    seq = (await ledger.sessions.get(TENANT, sessionId).catch(() => null))?.seq ?? seq;
  }
  return { stored, failed };
}

const owner = async <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: cluster.ownerUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

async function expectExactlyOnce(outcome: { stored: string[]; failed: string[] }, sessionId: string): Promise<void> {
  const events = await ledger.events.ofStream({ tenantId: TENANT, streamId: sessionId }, 1, 10_000);
  const calls = events.map((event) => event.callId ?? '');
  expect(new Set(calls).size).toBe(calls.length);
  expect(calls).toEqual(expect.arrayContaining(outcome.stored));
  const known = new Set([...outcome.stored, ...outcome.failed]);
  expect(calls.every((call) => known.has(call))).toBe(true);
  expect((await ledger.verify(TENANT)).problems).toEqual([]);
}

describe('the ledger', () => {
  it('goes on after its connections were cut in the middle of appends, as in a failover', async () => {
    const sessions = ['cut0', 'cut1', 'cut2', 'cut3'];
    await ledger.append(sessions.map((id) => unit(id, 0, [started(id)])));
    const state = { stop: false };
    const running = sessions.map((id) => appendOn(id, state));
    for (let round = 0; round < 5; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 150));
      await owner((client) =>
        client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'"),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
    state.stop = true;
    for (const [i, outcome] of (await Promise.all(running)).entries()) {
      expect(outcome.stored.length).toBeGreaterThan(0);
      await expectExactlyOnce(outcome, sessions[i] ?? '');
    }
  }, 60_000);

  it('refuses within its bound while the server is gone, says why, and heals by itself when it is back', async () => {
    await ledger.append([unit('gone', 0, [started('gone')])]);
    const state = { stop: false };
    const running = appendOn('gone', state);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await cluster.stop();
    const since = performance.now();
    await expect(ledger.ping()).rejects.toMatchObject({ code: expect.stringMatching(/^(ECONNREFUSED|57P0\d)$/) });
    expect(performance.now() - since).toBeLessThan(10_000);
    await expect(ledger.loadRound({ tenants: [TENANT], streams: [], keys: [], hashJoins: [] })).rejects.toThrow();
    await cluster.restart();
    await ledger.ping();
    state.stop = true;
    await expectExactlyOnce(await running, 'gone');
    const [after] = await ledger.append([unit('gone-after', 0, [started('gone-after')])]);
    expect(after).toMatchObject({ ok: true });
    // Idle connections tell of their end; whoever logs makes one line of it.
    expect(said.length).toBeGreaterThan(0);
  }, 60_000);

  it('waits a bounded time for a lock that somebody keeps, and says that it was no fault of the call', async () => {
    await ledger.append([unit('locked', 0, [started('locked')])]);
    await owner(async (client) => {
      await client.query('BEGIN');
      await client.query("SELECT 1 FROM heads WHERE stream_id = 'locked' FOR UPDATE");
      const since = performance.now();
      const kept = ledger.append([unit('locked', 1, [decided('locked', 'k1')])]);
      await expect(kept).rejects.toMatchObject({ code: '55P03' });
      expect(performance.now() - since).toBeLessThan(15_000);
      await client.query('ROLLBACK');
    });
    const [free] = await ledger.append([unit('locked', 1, [decided('locked', 'k1')])]);
    expect(free).toMatchObject({ ok: true });
  }, 60_000);

  it('is freed by the server from a process that hangs with locks in hand', async () => {
    await ledger.append([unit('hung', 0, [started('hung')])]);
    const hung = new pg.Client({ connectionString: appUrl.href });
    hung.on('error', () => undefined);
    await hung.connect();
    await hung.query("SET idle_in_transaction_session_timeout = '1s'");
    await hung.query('BEGIN');
    await hung.query('SELECT lock_heads($1, $2)', [[[TENANT, 'hung']], []]);
    const [stored] = await ledger.append([unit('hung', 1, [decided('hung', 'h1')])]);
    expect(stored).toMatchObject({ ok: true });
    await hung.end().catch(() => undefined);
  }, 60_000);
});
