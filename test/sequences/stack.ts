/** A running stack for sequences of steps: real Postgres and Redis, a gateway, two workers, an approver; one tenant a sequence. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { startApprover } from '@countersign/approver';
import { startGateway, GATEWAY_DEFAULTS } from '@countersign/gateway';
import { createHooks, type RegisteredHook } from '@countersign/hooks';
import { createLedger, type Ledger, type NewKey } from '@countersign/ledger';
import { createBus, createQueue, createSeal, newSealKey, type Bus, type Queue } from '@countersign/queue';
import { newPermitSeed } from '@countersign/permits';
import { createLogger, createVaultKeys, newVaultKey } from '@countersign/server';
import { startPostgres, startRedis } from '@countersign/testing';
import { startWorker, WORKER_DEFAULTS } from '@countersign/worker';

export interface Keys {
  readonly agent: string;
  readonly approver: string;
  readonly auditor: string;
  readonly admin: string;
}

export interface Stack {
  readonly gateway: string;
  readonly approver: string;
  readonly ledger: Ledger;
  readonly bus: Bus;
  /** The owner role: moves the rows' times, and tampers. */
  readonly owner: pg.Pool;
  /** A tenant of its own with one key a role; `user-1` holds the approver's key. */
  tenant(tenantId: string, agent: Partial<NewKey>): Promise<Keys>;
  /** Ends one worker while the others go on, and starts another in its place. */
  crashWorker(): Promise<void>;
  close(): Promise<void>;
}

interface Closing {
  close(): Promise<unknown>;
}

/** Queue and bus run over one Redis, as they do with several processes. */
export async function openStack(registered: readonly RegisteredHook[]): Promise<Stack> {
  const postgres = await startPostgres();
  const database = await postgres.createDatabase();
  const redis = await startRedis();
  const prefix = `{sequences-${randomUUID()}}`;
  const queue: Queue = await createQueue({ kind: 'redis', url: redis.url, prefix });
  const bus: Bus = await createBus({ kind: 'redis', url: redis.url, prefix });
  const ledger = createLedger({ databaseUrl: database.appUrl });
  const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2 });
  owner.on('error', () => undefined);
  const seal = createSeal(newSealKey());
  const hooks = createHooks(registered);
  const vaultKeys = createVaultKeys([newVaultKey()]);
  const logger = createLogger({ name: 'sequences', level: process.env['TEST_LOG_LEVEL'] ?? 'silent' });
  const openWorker = () =>
    startWorker({
      ledger,
      queue,
      bus,
      seal,
      logger,
      hooks,
      vaultKeys,
      config: { ...WORKER_DEFAULTS, sweepMs: 100, hookMs: 50 },
    });
  const workers: Closing[] = [await openWorker(), await openWorker()];
  const gateway = await startGateway({
    ledger,
    queue,
    bus,
    seal,
    logger,
    hooks,
    vaultKeys,
    permitKeys: [newPermitSeed()],
    config: { ...GATEWAY_DEFAULTS, port: 0 },
  });
  const approver = await startApprover({
    ledger,
    bus,
    logger,
    config: { host: '127.0.0.1', port: 0, cookieSecret: randomUUID().repeat(2) },
  });
  return {
    gateway: gateway.url,
    approver: approver.url,
    ledger,
    bus,
    owner,
    tenant: (tenantId, agent) => makeTenant(ledger, tenantId, agent),
    crashWorker: async () => {
      await workers.shift()?.close();
      workers.push(await openWorker());
    },
    close: async () => {
      await gateway.close();
      await approver.close();
      for (const worker of workers) await worker.close();
      await Promise.all([queue.close(), bus.close()]);
      await ledger.close();
      await owner.end();
      await redis.stop();
      await database.drop();
      await postgres.stop();
    },
  };
}

/** No door makes a tenant, so the ledger does. */
async function makeTenant(ledger: Ledger, tenantId: string, agent: Partial<NewKey>): Promise<Keys> {
  await ledger.tenants.ensure({ id: tenantId, name: tenantId });
  const person = await ledger.people.create({
    tenantId,
    name: 'user-1',
    groups: [],
    roles: ['approver'],
    by: 'test',
  });
  if (person === null) throw new Error('the tenant has a person `user-1` already');
  const secret = async (key: Partial<NewKey> & Pick<NewKey, 'role'>): Promise<string> =>
    (await ledger.keys.create({ tenantId, by: 'test', ...key })).secret;
  return {
    agent: await secret({ role: 'agent', ...agent }),
    approver: await secret({ role: 'approver', personId: person.id }),
    auditor: await secret({ role: 'auditor' }),
    admin: await secret({ role: 'admin' }),
  };
}
