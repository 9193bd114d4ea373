/** What a worker remembers saves it a query, and never makes a decision other than the one that the ledger would have made. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ToolCall } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import { startPostgres, type TestDatabase, type TestPostgres } from '@countersign/testing';
import { runRound, type RoundDeps } from './round.js';
import { asItem, makeCall, openLedger, publish, roundDeps, TENANT } from './round-fixture.js';

const POLICY = { deny: ['Bash(git push *)'], ask: ['Bash(make *)'], allow: ['Bash(echo *)'] };

let postgres: TestPostgres;
let database: TestDatabase;
let ledger: Ledger;

beforeAll(async () => {
  postgres = await startPostgres();
  database = await postgres.createDatabase();
  ledger = await openLedger(database.appUrl, POLICY);
}, 60_000);
afterAll(async () => {
  await ledger?.close();
  await database?.drop();
  await postgres?.stop();
});

interface Counting extends RoundDeps {
  readonly loads: () => number;
}

/** A worker that tells how often it asked the database. */
function counting(): Counting {
  let loads = 0;
  const loadRound: Ledger['loadRound'] = (query) => {
    loads += 1;
    return ledger.loadRound(query);
  };
  return { ...roundDeps({ ...ledger, loadRound }), loads: () => loads };
}

const bash = (sessionId: string, command: string, wish: Parameters<typeof makeCall>[0] = {}): ToolCall =>
  makeCall({ sessionId, args: { command }, ...wish });

async function decide(deps: RoundDeps, ...calls: readonly ToolCall[]) {
  const { settled } = await runRound(
    calls.map((call) => asItem(call)),
    deps,
  );
  return calls.map((call) => settled.find(({ item }) => item.call === call)?.outcome);
}

/** A worker that has the session to itself and knows it. */
async function quietWorker(sessionId: string): Promise<Counting> {
  const deps = counting();
  for (let n = 0; n < 5; n += 1) await decide(deps, bash(sessionId, `echo ${n}`));
  const before = deps.loads();
  await decide(deps, bash(sessionId, 'echo quiet'));
  expect(deps.loads()).toBe(before);
  return deps;
}

const eventsOf = async (session: string) => (await ledger.events.list(TENANT, { session, limit: 500 })).items;

describe('a round on what is remembered', () => {
  it('asks nothing of a session that nobody else writes, and records as always', async () => {
    const deps = await quietWorker('alone');
    const [denied] = await decide(deps, bash('alone', 'git push origin'));
    expect(denied).toMatchObject({ decision: 'deny' });
    const events = await eventsOf('alone');
    expect(events).toHaveLength(8);
    expect((await ledger.verify(TENANT)).problems).toEqual([]);
  });

  it('joins a call that was sent again, and denies a reused id', async () => {
    const deps = await quietWorker('again');
    const first = bash('again', 'echo once', { toolUseId: 'u1' });
    const [one] = await decide(deps, first);
    const fresh = bash('again', 'echo beside');
    const [two, beside] = await decide(deps, { ...first, id: 'call_again' }, fresh);
    expect(two).toEqual(one);
    expect(beside).toMatchObject({ id: fresh.id, decision: 'allow' });
    const [three] = await decide(deps, bash('again', 'echo other', { toolUseId: 'u1' }));
    expect(three).toMatchObject({ decision: 'deny', ruleId: 'call.id_reused' });
    // The key of the first call, the six of the worker's own, one beside, one refused; nothing twice.
    expect((await eventsOf('again')).filter(({ type }) => type === 'ToolCallDecided')).toHaveLength(9);
  });

  it('decides again when somebody else wrote the session meanwhile', async () => {
    const deps = await quietWorker('moved');
    await ledger.execute(
      { tenantId: TENANT, sessionId: 'moved' },
      { type: 'CancelSession', reason: 'enough', by: 'key-1' },
    );
    const [outcome] = await decide(deps, bash('moved', 'echo late'));
    expect(outcome).toMatchObject({ decision: 'deny', ruleId: 'guard.cancelled' });
  });

  it('judges by a policy that was published meanwhile', async () => {
    const deps = await quietWorker('published');
    await publish(ledger, 'default', { ...POLICY, deny: [...POLICY.deny, 'Bash(echo forbidden)'] });
    const [outcome] = await decide(deps, bash('published', 'echo forbidden'));
    expect(outcome).toMatchObject({ decision: 'deny' });
    await publish(ledger, 'default', POLICY);
  });

  it('allows nothing under a kill switch that was engaged meanwhile', async () => {
    const deps = await quietWorker('killed');
    const kill = {
      type: 'EngageKill',
      killId: 'kill_1',
      scope: 'tenant',
      value: null,
      reason: 'stop',
      by: 'p',
    } as const;
    await ledger.executeTenant(TENANT, kill);
    const [outcome] = await decide(deps, bash('killed', 'echo frozen'));
    expect(outcome).toMatchObject({ decision: 'deny', ruleId: 'guard.killed' });
    await ledger.executeTenant(TENANT, { type: 'ReleaseKill', killId: 'kill_1', by: 'p' });
  });

  it('asks again when two workers share a session, and both record every call once', async () => {
    const [one, two] = [await quietWorker('shared'), counting()];
    const calls = Array.from({ length: 40 }, (_, n) => bash('shared', `echo ${n}`));
    const decided = await Promise.all(calls.map((call, n) => decide(n % 2 === 0 ? one : two, call)));
    expect(decided.flat().every((outcome) => outcome?.decision === 'allow')).toBe(true);
    expect((await eventsOf('shared')).filter(({ type }) => type === 'ToolCallDecided')).toHaveLength(46);
    expect((await ledger.verify(TENANT)).problems).toEqual([]);
  });
});
