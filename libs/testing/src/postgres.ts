/** A real Postgres for tests: TEST_DATABASE_URL's cluster, else an embedded one; every test file gets a database of its own. */
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makePartitions, migrate, startCluster } from '@countersign/ledger';
import pg from 'pg';

export const TEST_APP_ROLE = 'countersign_test_app';
const TEST_APP_PASSWORD = 'countersign';
const TEMPLATE = 'countersign_template';
/** Tests never cross more than a month; fewer partitions make cloning quick. */
const MONTHS_AHEAD = 1;

/** Nothing here outlives its tests: what makes data survive a crash of the machine is switched off. */
const SETTINGS = [
  ...['max_connections = 300', 'shared_buffers = 64MB'],
  ...['fsync = off', 'synchronous_commit = off', 'full_page_writes = off'],
];

export interface TestDatabase {
  /** Superuser: may move time and tamper. */
  readonly ownerUrl: string;
  /** The application role, with nothing but its rights. */
  readonly appUrl: string;
  readonly name: string;
  drop(): Promise<void>;
}

export interface TestPostgres {
  /** Superuser's URL of the cluster; may serve as TEST_DATABASE_URL of other processes. */
  readonly url: string;
  /** A fresh migrated database, cloned from a template. */
  createDatabase(): Promise<TestDatabase>;
  /** An empty database that nothing was applied to. */
  createEmptyDatabase(): Promise<TestDatabase>;
  stop(): Promise<void>;
}

/** Starts (or finds) the cluster. The first database of a cluster pays for the migrated template. */
export async function startPostgres(): Promise<TestPostgres> {
  const given = process.env['TEST_DATABASE_URL'];
  const cluster = given ? { url: given, stop: async () => undefined } : await startTemporary();
  return {
    url: cluster.url,
    createDatabase: async () => {
      await ensureTemplate(cluster.url);
      return clone(cluster.url);
    },
    createEmptyDatabase: () => create(cluster.url, 'template0'),
    stop: async () => {
      await cluster.stop();
    },
  };
}

async function startTemporary(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-pg-'));
  // The server may run as another user, who must be able to enter the folder above its data.
  await chmod(folder, 0o755);
  const cluster = await startCluster({
    folder: path.join(folder, 'cluster'),
    ownerPassword: randomUUID(),
    port: null,
    settings: SETTINGS,
  });
  // The server is no child of ours: a test run that ends early must not leave it behind.
  const abort = (): void => cluster.abort();
  process.once('exit', abort);
  return {
    url: cluster.ownerUrl,
    stop: async () => {
      process.off('exit', abort);
      await cluster.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function urlOf(clusterUrl: string, database: string): string {
  const url = new URL(clusterUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/** Makes the template once per cluster; a template that is older than the migrations is brought up to date in place. */
async function ensureTemplate(clusterUrl: string): Promise<void> {
  await withClient(clusterUrl, async (client) => {
    await client.query("SELECT pg_advisory_lock(hashtextextended('countersign.template', 0))");
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [TEMPLATE]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${TEMPLATE} TEMPLATE template0`);
    const ownerUrl = urlOf(clusterUrl, TEMPLATE);
    await migrate({ ownerUrl, appRole: TEST_APP_ROLE, appPassword: TEST_APP_PASSWORD, monthsAhead: MONTHS_AHEAD });
  });
}

async function clone(clusterUrl: string): Promise<TestDatabase> {
  const database = await create(clusterUrl, TEMPLATE);
  await withClient(database.ownerUrl, (client) => makePartitions(client, MONTHS_AHEAD));
  return database;
}

async function create(clusterUrl: string, template: string): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await withClient(clusterUrl, async (client) => {
    await client.query("SELECT pg_advisory_lock(hashtextextended('countersign.template', 0))");
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  });
  const appUrl = new URL(urlOf(clusterUrl, name));
  appUrl.username = TEST_APP_ROLE;
  appUrl.password = TEST_APP_PASSWORD;
  return {
    ownerUrl: urlOf(clusterUrl, name),
    appUrl: appUrl.href,
    name,
    drop: () =>
      withClient(clusterUrl, async (client) => {
        await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      }),
  };
}
