/** Rounds under what holds for the whole tenant: kill switches and tenant-wide grants, on a real ledger. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Grant } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import { startPostgres, type TestDatabase, type TestPostgres } from '@countersign/testing';
import { asItem, makeCall, openLedger, roundDeps, TENANT, type CallWish } from './round-fixture.js';
import { runRound, type RoundDeps } from './round.js';

let postgres: TestPostgres;
let database: TestDatabase;
let ledger: Ledger;

beforeAll(async () => {
  postgres = await startPostgres();
  database = await postgres.createDatabase();
  ledger = await openLedger(database.appUrl, { allow: ['Bash(ls)'] });
}, 60_000);

afterAll(async () => {
  await ledger?.close();
  await database?.drop();
  await postgres?.stop();
});

async function judged(deps: RoundDeps, ...wishes: CallWish[]): Promise<string[]> {
  const { settled } = await runRound(
    wishes.map((wish) => asItem(makeCall(wish))),
    deps,
  );
  return settled.map(({ outcome }) => (outcome.decision === 'deny' ? outcome.ruleId : outcome.decision));
}

describe('a kill switch', () => {
  it('reaches a worker that has everything cached at its next round, and lets go at the next after its release', async () => {
    const deps = roundDeps(ledger);
    expect(await judged(deps, { sessionId: 'k1' }, { sessionId: 'k2' })).toEqual(['allow', 'allow']);
    const engage = {
      type: 'EngageKill',
      killId: 'kill_1',
      scope: 'session',
      value: 'k1',
      reason: 'stop',
      by: 'Ann',
    } as const;
    await ledger.executeTenant(TENANT, engage);
    expect(await judged(deps, { sessionId: 'k1' }, { sessionId: 'k2' })).toEqual(['guard.killed', 'allow']);
    const below = { sessionId: 'k1-child', opening: { parentId: 'k1' } };
    expect(await judged(deps, below)).toEqual(['guard.killed']);
    await ledger.executeTenant(TENANT, { type: 'ReleaseKill', killId: 'kill_1', by: 'Ann' });
    expect(await judged(deps, { sessionId: 'k1' }, below)).toEqual(['allow', 'allow']);
  });

  it('asks nobody and opens no breaker', async () => {
    const deps = roundDeps(ledger);
    await ledger.executeTenant(TENANT, {
      type: 'EngageKill',
      killId: 'kill_2',
      scope: 'tool',
      value: 'Bash',
      reason: 'stop',
      by: 'Ann',
    });
    const asking = { sessionId: 'k3', args: { command: 'npm test' } };
    expect(await judged(deps, asking, asking, asking, asking)).toEqual(Array(4).fill('guard.killed'));
    await ledger.executeTenant(TENANT, { type: 'ReleaseKill', killId: 'kill_2', by: 'Ann' });
    expect(await judged(deps, asking)).toEqual(['pending']);
  });
});

describe('a tenant-wide grant', () => {
  const grant: Grant = {
    id: 'grant_1',
    kind: 'always',
    tool: 'Bash',
    argsHash: null,
    pattern: 'Bash(npm test)',
    liftsRuleIds: ['default.ask'],
    askId: 'ask_1',
    personId: 'person_1',
    expiresAt: null,
  };
  const test = (sessionId: string): CallWish => ({ sessionId, args: { command: 'npm test' } });

  it('with a count lets that many calls through, in one session and over several, in one round and in many', async () => {
    const deps = roundDeps(ledger);
    await ledger.executeTenant(TENANT, { type: 'CreateGrant', grant: { ...grant, uses: 3 } });
    expect(await judged(deps, test('g1'), test('g1'))).toEqual(['allow', 'allow']);
    const rest = await judged(deps, test('g2'), test('g3'), test('g4'), test('g4'));
    expect(rest.sort()).toEqual(['allow', 'pending', 'pending', 'pending']);
    expect(await ledger.grants.get(TENANT, 'grant_1')).toMatchObject({ status: 'consumed', remaining: 0 });
    expect(await judged(deps, test('g5'))).toEqual(['pending']);
  });

  it('without a count holds in every session until it is revoked', async () => {
    const deps = roundDeps(ledger);
    await ledger.executeTenant(TENANT, { type: 'CreateGrant', grant: { ...grant, id: 'grant_2' } });
    expect(await judged(deps, test('h1'), test('h2'))).toEqual(['allow', 'allow']);
    await ledger.executeTenant(TENANT, { type: 'RevokeGrant', grantId: 'grant_2', by: 'Ann' });
    expect(await judged(deps, test('h1'), test('h3'))).toEqual(['pending', 'pending']);
  });
});
