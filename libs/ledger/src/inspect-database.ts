/** Looks at a database as a service's role sees it: version, clock, migrations, rights. Judges nothing. */
import pg from 'pg';
import { migrationNames } from './schema-engine.js';

/** What start-up and the doctor judge by. */
export interface DatabaseFacts {
  readonly role: string;
  /** As Postgres counts: 180004 is 18.4. */
  readonly version: number;
  /** Milliseconds by which the database's clock is ahead of ours; negative: behind. */
  readonly clockAheadMs: number;
  /** Names of migrations that this program brings and the database lacks; null: it was never migrated, or may not be looked at. */
  readonly missingMigrations: readonly string[] | null;
  /** Migrations of the database that this program does not know: a newer one has been here. */
  readonly unknownMigrations: readonly string[];
  /** More than a service needs: attributes of the role, and tables of the ledger that it owns or may write past `append`. */
  readonly excessRights: readonly string[];
  /** False: the role may not call `append`. */
  readonly mayAppend: boolean;
  /** The server's limit less what it keeps for superusers. */
  readonly maxConnections: number;
}

const LOOK_MS = 5_000;
const LEDGER_TABLES = ['events', 'heads', 'asks', 'call_keys', 'grants', 'kill_switches', 'vault'];

interface Row {
  readonly role: string;
  readonly version: string;
  readonly clock: string;
  readonly attributes: readonly string[];
  readonly tables: readonly string[];
  readonly may_append: boolean;
  readonly migrated: boolean;
  readonly connections: string;
}

const LOOK = `
  SELECT current_user AS role, current_setting('server_version_num') AS version,
    extract(epoch FROM clock_timestamp()) * 1000 AS clock,
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS connections,
    (SELECT array_remove(ARRAY[
       CASE WHEN rolsuper THEN 'SUPERUSER' END, CASE WHEN rolcreaterole THEN 'CREATEROLE' END,
       CASE WHEN rolcreatedb THEN 'CREATEDB' END, CASE WHEN rolbypassrls THEN 'BYPASSRLS' END,
       CASE WHEN rolreplication THEN 'REPLICATION' END], NULL)
     FROM pg_roles WHERE rolname = current_user) AS attributes,
    (SELECT coalesce(array_agg(c.relname::text ORDER BY c.relname), '{}') FROM pg_class c
     WHERE c.relnamespace = to_regnamespace('public') AND c.relname = ANY($1) AND (pg_has_role(c.relowner, 'USAGE')
       OR has_table_privilege(c.oid, 'INSERT') OR has_table_privilege(c.oid, 'UPDATE')
       OR has_table_privilege(c.oid, 'DELETE') OR has_table_privilege(c.oid, 'TRUNCATE'))) AS tables,
    EXISTS (SELECT 1 FROM pg_proc WHERE proname = 'append' AND pronamespace = to_regnamespace('public')
      AND has_function_privilege(oid, 'EXECUTE')) AS may_append,
    coalesce(has_table_privilege(to_regclass('public._prisma_migrations'), 'SELECT'), false) AS migrated`;

/** Throws what the driver throws when the database cannot be reached. */
export async function inspectDatabase(databaseUrl: string): Promise<DatabaseFacts> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: LOOK_MS,
    query_timeout: LOOK_MS,
    application_name: 'countersign check',
  });
  await client.connect();
  try {
    await client.query('SELECT 1');
    const before = Date.now();
    const { rows } = await client.query<Row>(LOOK, [LEDGER_TABLES]);
    const row = rows[0];
    if (!row) throw new Error('the database gave no answer');
    const middle = (before + Date.now()) / 2;
    const applied = row.migrated ? await appliedMigrations(client) : null;
    return { ...factsOf(row, Math.round(Number(row.clock) - middle)), ...(await compare(applied)) };
  } finally {
    await client.end().catch(() => undefined);
  }
}

function factsOf(row: Row, clockAheadMs: number): Omit<DatabaseFacts, 'missingMigrations' | 'unknownMigrations'> {
  return {
    role: row.role,
    version: Number(row.version),
    clockAheadMs,
    excessRights: [...row.attributes, ...row.tables.map((table) => `writes to ${table}`)],
    mayAppend: row.may_append,
    maxConnections: Number(row.connections),
  };
}

async function appliedMigrations(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  );
  return rows.map((row) => row.name);
}

async function compare(
  applied: readonly string[] | null,
): Promise<Pick<DatabaseFacts, 'missingMigrations' | 'unknownMigrations'>> {
  if (applied === null) return { missingMigrations: null, unknownMigrations: [] };
  const ours = await migrationNames();
  return {
    missingMigrations: ours.filter((name) => !applied.includes(name)),
    unknownMigrations: applied.filter((name) => !ours.includes(name)),
  };
}
