/** Brings a database up to date: migrations, the application role and its rights, partitions made ahead. Runs as the owner. */
import pg from 'pg';
import { applyMigrations } from './schema-engine.js';

export interface MigrateOptions {
  /** Owner of the database; needs CREATEROLE unless the application role exists already. */
  readonly ownerUrl: string;
  readonly appRole: string;
  readonly appPassword: string;
  /** How many months of partitions to make after the current one; 12 when absent. */
  readonly monthsAhead?: number;
  readonly onProgress?: (step: string) => void;
}

/** Only one migration at a time, whichever process runs it. */
const MIGRATION_LOCK = 'countersign.migrate';
/** How long the services' role may wait, and how it plans: kept by the server, whatever pool or pooler stands in between. */
export const ROLE_SETTINGS = {
  // Longer than any statement of ours; a stuck one must not hold locks for ever.
  statement_timeout: '30s',
  // A process that hangs in the middle of a transaction gives its locks up while others still wait for them.
  idle_in_transaction_session_timeout: '5s',
  lock_timeout: '4s',
  // Every query of the application goes to an index. A plan made while a table was small must not scan it when it is large.
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
} as const;

/** Tables that only `append` writes. */
const LEDGER_TABLES = 'events, heads, asks, call_keys, grants, kill_switches, vault, stream_borders';

/**
 * Applies the migrations, makes or updates the application role, grants it its rights and makes partitions ahead. May be run
 * any number of times and by several processes at once. Returns the names of the migrations that were applied.
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const client = new pg.Client({ connectionString: options.ownerUrl, application_name: 'countersign migrate' });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [MIGRATION_LOCK]);
    const applied = await applyMigrations(client, options.ownerUrl);
    for (const name of applied) options.onProgress?.(`applied ${name}`);
    await makeRole(client, options);
    await grantRights(client, options.appRole);
    const made = await makePartitions(client, options.monthsAhead ?? 12);
    if (made.length > 0) options.onProgress?.(`made partitions ${made.join(', ')}`);
    return applied;
  } finally {
    await client.end();
  }
}

/** Makes the partitions of the month before, of this month and of `monthsAhead` after it; returns the names of the new ones. */
export async function makePartitions(owner: pg.Client, monthsAhead: number): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>('SELECT name FROM make_partitions($1) AS name', [monthsAhead]);
  return rows.map((row) => row.name);
}

/** Roles belong to the whole cluster, so two databases may be migrated at the same moment: then one try fails and is repeated. */
async function makeRole(client: pg.Client, options: MigrateOptions): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await makeRoleOnce(client, options);
      return;
    } catch (error) {
      if (attempt === 5 || !isRoleRace(error)) throw error;
    }
  }
}

function isRoleRace(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return code === '42710' || code === '23505' || Boolean(message?.includes('tuple concurrently updated'));
}

async function makeRoleOnce(client: pg.Client, { appRole, appPassword }: MigrateOptions): Promise<void> {
  const role = client.escapeIdentifier(appRole);
  const found = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [appRole]);
  if (found.rowCount === 0) await client.query(`CREATE ROLE ${role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE`);
  await client.query(`ALTER ROLE ${role} LOGIN PASSWORD ${client.escapeLiteral(appPassword)}`);
  for (const [name, value] of Object.entries(ROLE_SETTINGS)) {
    await client.query(`ALTER ROLE ${role} SET ${name} = ${client.escapeLiteral(value)}`);
  }
}

/** INVARIANT: on the ledger's tables the application may read, and write only through `append`. */
async function grantRights(client: pg.Client, appRole: string): Promise<void> {
  const role = client.escapeIdentifier(appRole);
  await client.query(`
    BEGIN;
    REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${role};
    REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM ${role};
    GRANT USAGE ON SCHEMA public TO ${role};
    GRANT SELECT ON ${LEDGER_TABLES}, tenants, api_keys, people, policies, idempotency TO ${role};
    GRANT SELECT ON _prisma_migrations TO ${role};
    GRANT EXECUTE ON FUNCTION lock_heads, append TO ${role};
    GRANT INSERT ON tenants, api_keys, people, policies, idempotency TO ${role};
    GRANT UPDATE (revoked_at) ON api_keys TO ${role};
    GRANT UPDATE (groups, roles) ON people TO ${role};
    GRANT UPDATE (status, response, finished_at) ON idempotency TO ${role};
    GRANT DELETE ON idempotency TO ${role};
    GRANT UPDATE (key_id, sealed) ON vault TO ${role};
    GRANT SELECT, INSERT, UPDATE ON deliveries, closed_targets TO ${role};
    GRANT SELECT, INSERT, UPDATE, DELETE ON processes, kill_confirmations, followers TO ${role};
    GRANT SELECT, INSERT, DELETE ON identities TO ${role};
    COMMIT;`);
}
