/** `npm run migrate`: brings a database up to date, and makes what the services then need: secrets, first policy, first keys. */
import { userInfo } from 'node:os';
import { policyDocumentSchema } from '@countersign/contracts';
import { createLedger, type Ledger } from '@countersign/ledger';
import type { CliEnv } from '../env.js';
import { PartMissing } from '../compose/part-missing.js';
import { readEndpoints, writeEndpoints } from '../home/endpoints.js';
import { homeLayout } from '../home/layout.js';
import { prepareHome } from '../home/prepare-home.js';
import { loadSecrets } from '../home/secrets.js';
import { seed, seedPolicy, TENANT } from '../seed/seed.js';
import { migrateOrExplain } from '../up/database.js';

/** Runs as the owner, for the role that DATABASE_URL names; `say` gets one line for each step. */
export async function migrateService(env: CliEnv, say: (line: string) => void): Promise<void> {
  const { ownerUrl, databaseUrl } = env;
  if (ownerUrl === null) throw new PartMissing("DATABASE_OWNER_URL is not set: the URL of the database's owner");
  if (databaseUrl === null)
    throw new PartMissing('DATABASE_URL is not set: the URL that the services use, with their role');
  await migrateOrExplain(ownerUrl, databaseUrl, say);
  const ledger = createLedger({ databaseUrl, poolSize: 2 });
  try {
    await ledger.tenants.ensure({ id: TENANT, name: TENANT });
    await seedPolicy(ledger, policyDocumentSchema.parse({}), false);
    await (env.homeGiven ? keysInHome(env, ledger) : firstKeys(ledger, say));
  } finally {
    await ledger.close();
  }
  say('the database is ready');
}

/** A named home is shared by the services: secrets and keys lie there. */
async function keysInHome(env: CliEnv, ledger: Ledger): Promise<void> {
  const layout = homeLayout(env.home);
  await prepareHome(layout.home);
  await loadSecrets(layout.secrets);
  const known = await readEndpoints(layout.endpoints);
  const keys = await seed(ledger, { known, person: userInfo().username, sameHost: false });
  const host = ['0.0.0.0', '::'].includes(env.host) ? '127.0.0.1' : env.host;
  const doors = { gateway: `http://${host}:${env.gatewayPort}`, console: `http://${host}:${env.approverPort}` };
  await writeEndpoints(layout.endpoints, { ...doors, ...keys });
}

/** Without a home the keys of a new database are shown, once. */
async function firstKeys(ledger: Ledger, say: (line: string) => void): Promise<void> {
  if ((await ledger.keys.list(TENANT)).length > 0) return;
  const keys = await seed(ledger, { known: null, person: userInfo().username, sameHost: false });
  for (const [name, key] of Object.entries(keys)) say(`${name}: ${key} (shown once)`);
}
