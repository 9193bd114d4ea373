/** A ledger on a fresh database, with the owner's connections beside it: for tests that look behind the ledger, or tamper. */
import { createLedger, type Ledger } from '@countersign/ledger';
import pg from 'pg';
import { startPostgres, type TestDatabase, type TestPostgres } from './postgres.js';

export interface TestLedger {
  readonly postgres: TestPostgres;
  readonly database: TestDatabase;
  readonly ledger: Ledger;
  /** Superuser of the database; three connections at the most. */
  readonly owner: pg.Pool;
  close(): Promise<void>;
}

/** The ledger knows one tenant, of this id. */
export async function openTestLedger(tenantId: string): Promise<TestLedger> {
  const postgres = await startPostgres();
  const database = await postgres.createDatabase();
  const ledger = createLedger({ databaseUrl: database.appUrl });
  const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 3 });
  owner.on('error', () => undefined);
  await ledger.tenants.ensure({ id: tenantId, name: 'Acme' });
  const close = async (): Promise<void> => {
    await ledger.close();
    await owner.end();
    await database.drop();
    await postgres.stop();
  };
  return { postgres, database, ledger, owner, close };
}
