/** Key rotation on a real vault: what an old key sealed is sealed anew, and stays readable all along. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Ledger } from '@countersign/ledger';
import { createVaultKeys, newVaultKey } from '@countersign/server';
import { startPostgres, type TestDatabase, type TestPostgres } from '@countersign/testing';
import { asItem, makeCall, openLedger, roundDeps, TENANT } from '../rounds/round-fixture.js';
import { runRound } from '../rounds/round.js';
import { resealVault } from './reseal.js';

let postgres: TestPostgres;
let database: TestDatabase;
let ledger: Ledger;
beforeAll(async () => {
  postgres = await startPostgres();
  database = await postgres.createDatabase();
  ledger = await openLedger(database.appUrl, { allow: ['Bash(mysql *)'] });
}, 60_000);
afterAll(async () => {
  await ledger.close();
  await database.drop();
  await postgres.stop();
});

it('seals anew what older keys sealed, and tells of what no key opens', async () => {
  const [lost, old, fresh] = [newVaultKey(), newVaultKey(), newVaultKey()];
  const seal = async (key: string, password: string): Promise<string> => {
    const call = makeCall({ args: { command: `mysql -p${password}` }, sessionId: password });
    await runRound([asItem(call)], { ...roundDeps(ledger), vaultKeys: createVaultKeys([key]) });
    return call.id;
  };
  const ids = [await seal(old, 'first11'), await seal(old, 'second2')];
  const gone = await seal(lost, 'third33');
  const keys = createVaultKeys([fresh, old]);
  const unreadable: number[] = [];
  const deps = { vault: ledger.vault, keys, onUnreadable: (count: number) => unreadable.push(count) };
  expect(await resealVault(deps, new AbortController().signal)).toBe(2);
  expect(unreadable).toEqual([1]);
  const texts = await Promise.all(
    ids.map(async (id) => {
      const item = await ledger.vault.get(TENANT, id, 'arguments');
      if (item === null) throw new Error('the original is gone');
      return createVaultKeys([fresh]).open(item);
    }),
  );
  expect(texts.join()).toContain('first11');
  expect(texts.join()).toContain('second2');
  expect((await ledger.vault.get(TENANT, gone, 'arguments'))?.keyId).toBe(createVaultKeys([lost]).keyId);
  expect(await resealVault(deps, new AbortController().signal)).toBe(0);
});
