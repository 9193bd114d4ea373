/** What every build stands on: one Postgres with the settings as shipped, one Redis, a migrated database, keys. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { ROOT } from '../../scripts/build.mjs';
import { startRedis } from '../../scripts/test-services.mjs';
import { CLEAN_ENVIRONMENT, startProgram } from './programs.mjs';

const RUN_APP = join(ROOT, 'scripts/run-app.mjs');
const APP_ROLE = 'countersign_app';

/** A folder of our own on a real disk where there is one: /tmp may be memory, and then fsync would cost nothing. */
export function makeFolder() {
  const below = existsSync('/var/tmp') ? realpathSync('/var/tmp') : tmpdir();
  const folder = mkdtempSync(join(below, 'countersign-bench-'));
  // As root the database runs as another user, who must be able to pass.
  chmodSync(folder, 0o711);
  return folder;
}

/** `closing` gets what is to be undone. */
export async function prepareGround(closing) {
  const folder = makeFolder();
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  const { startCluster } = await import('../../libs/ledger/dist/embedded/cluster.js');
  const cluster = await startCluster({ folder: join(folder, 'cluster'), ownerPassword: 'bench', port: null });
  // The server is no child of ours: a bench that ends early must not leave it behind.
  const abort = () => cluster.abort();
  process.once('exit', abort);
  closing.push(async () => {
    process.off('exit', abort);
    await cluster.stop();
  });
  const redis = await startRedis();
  closing.push(() => redis.stop());
  const appUrl = new URL(cluster.ownerUrl);
  [appUrl.username, appUrl.password] = [APP_ROLE, 'bench'];
  const home = join(folder, 'home');
  const env = {
    ...CLEAN_ENVIRONMENT,
    COUNTERSIGN_HOME: home,
    DATABASE_URL: appUrl.href,
    REDIS_URL: redis.url,
    GATEWAY_PORT: '0',
    LOG_LEVEL: 'warn',
  };
  await startProgram('migrate', [RUN_APP, 'migrate'], {
    env: { ...env, DATABASE_OWNER_URL: cluster.ownerUrl },
    pattern: /the database is ready/,
  });
  await inDatabase(cluster.ownerUrl, async (client) => {
    await client.query(readFileSync(new URL('./obvious/table.sql', import.meta.url), 'utf8'));
    await client.query(
      `GRANT USAGE ON SCHEMA obvious TO ${APP_ROLE}; GRANT INSERT, SELECT ON obvious.decisions TO ${APP_ROLE}`,
    );
  });
  const { agentKey } = JSON.parse(readFileSync(join(home, 'endpoints.json'), 'utf8'));
  return {
    env,
    agentKey,
    ownerUrl: cluster.ownerUrl,
    postmaster: postmasterOf(join(folder, 'cluster')),
    redis: await redisPid(redis.url),
  };
}

async function redisPid(url) {
  const client = new Redis(url);
  const pid = /^process_id:(\d+)/m.exec(await client.info('server'))?.[1];
  client.disconnect();
  return Number(pid);
}

export const postmasterOf = (folder) =>
  Number(readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n')[0]);

/** Work on one connection of the database's owner. */
export async function inDatabase(url, work) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
