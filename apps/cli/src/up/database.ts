/** The database of `up`: the embedded one of its home, or the one that DATABASE_URL names; either way migrated. */
import { migrate, startCluster } from '@countersign/ledger';
import type { CliEnv } from '../env.js';
import { PartMissing } from '../compose/part-missing.js';
import { explainDatabase } from '../compose/explain.js';
import type { Closing } from '../compose/closing.js';
import type { HomeLayout } from '../home/layout.js';
import type { HomeSecrets } from '../home/secrets.js';
import { watchCluster, type DatabaseEvents } from './watch-cluster.js';

export interface ReadyDatabase {
  /** URL of the application role. */
  readonly appUrl: string;
  /** URL of a role that may make a schema of its own: the queue's. */
  readonly queueUrl: string;
  readonly ownerUrl: string;
  /** For people: where the data is. */
  readonly what: string;
}

const STOP_MS = 1_500;

/** Starts or finds the database and brings it up to date. Throws PartMissing or PostgresUnavailable. */
export async function prepareDatabase(
  env: CliEnv,
  home: { layout: HomeLayout; secrets: HomeSecrets },
  closing: Closing,
  told: DatabaseEvents,
): Promise<ReadyDatabase> {
  const { onProgress } = told;
  if (env.databaseUrl !== null) return prepareExternal(env.databaseUrl, env.ownerUrl, home.secrets, onProgress);
  const { layout, secrets } = home;
  const cluster = await startCluster({
    folder: layout.postgres,
    ownerPassword: secrets.ownerPassword,
    port: env.postgresPort,
    onProgress,
  });
  const watch = watchCluster(cluster, told);
  closing.add({
    name: 'database',
    withinMs: STOP_MS,
    close: async () => {
      await watch.stop();
      await cluster.stop();
    },
    abort: () => cluster.abort(),
  });
  const appUrl = appUrlOf(cluster.ownerUrl, secrets.appRole, secrets.appPassword);
  await migrateOrExplain(cluster.ownerUrl, appUrl, onProgress);
  const { ownerUrl } = cluster;
  return { appUrl, queueUrl: ownerUrl, ownerUrl, what: `embedded database on port ${cluster.port}` };
}

/** With the owner's URL beside it, DATABASE_URL is the application role's; alone it is taken for the owner's. */
async function prepareExternal(
  databaseUrl: string,
  ownerUrl: string | null,
  secrets: HomeSecrets,
  onProgress: (line: string) => void,
): Promise<ReadyDatabase> {
  const owner = ownerUrl ?? databaseUrl;
  const appUrl = ownerUrl === null ? appUrlOf(owner, secrets.appRole, secrets.appPassword) : databaseUrl;
  await migrateOrExplain(owner, appUrl, onProgress);
  return { appUrl, queueUrl: owner, ownerUrl: owner, what: `database at ${new URL(owner).host}` };
}

/** Migrates as the owner, for the role and password that the application's URL names. */
export async function migrateOrExplain(
  ownerUrl: string,
  appUrl: string,
  onProgress: (line: string) => void,
): Promise<void> {
  const { username, password } = new URL(appUrl);
  try {
    await migrate({
      ownerUrl,
      appRole: decodeURIComponent(username),
      appPassword: decodeURIComponent(password),
      onProgress,
    });
  } catch (error) {
    throw new PartMissing(`the database cannot be used: ${explainDatabase(error)}`);
  }
}

/** The same database for another role. */
export function appUrlOf(ownerUrl: string, role: string, password: string): string {
  const url = new URL(ownerUrl);
  url.username = encodeURIComponent(role);
  url.password = encodeURIComponent(password);
  return url.href;
}
