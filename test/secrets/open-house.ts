/** A house whose every word is overheard: all three servers over a database and a Redis of their own, logs and wires recorded. */
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import pg from 'pg';
import { io, type Socket } from 'socket.io-client';
import { startApprover } from '@countersign/approver';
import type { PolicyInput, Right, Role } from '@countersign/contracts';
import { GATEWAY_DEFAULTS, startGateway } from '@countersign/gateway';
import { createHooks, HOOK_DEFAULTS, type HookPlugin } from '@countersign/hooks';
import { createLedger, type Ledger } from '@countersign/ledger';
import { newPermitSeed } from '@countersign/permits';
import { parsePolicyDocument } from '@countersign/policy';
import { createBus, createQueue, createSeal, newSealKey } from '@countersign/queue';
import { createLogger, createMetrics, createVaultKeys } from '@countersign/server';
import { startOwnRedis, startPostgres } from '@countersign/testing';
import { startWorker, WORKER_DEFAULTS } from '@countersign/worker';

export const TENANT = 'overheard';

export interface OverheardHouse {
  readonly gateway: string;
  readonly approver: string;
  readonly ledger: Ledger;
  /** Of a person or, for `agent`, of nobody. */
  key(role: Role, rights?: readonly Right[]): Promise<string>;
  /** What approvers were sent over their socket, as JSON. */
  readonly live: readonly string[];
  /** Every row of every table, as text. */
  dumpDatabase(): Promise<string>;
  /** Every key of Redis with what it holds, and every command that Redis was sent. */
  dumpRedis(): Promise<string>;
  logs(): string;
  close(): Promise<void>;
}

export interface OverheardOptions {
  readonly policy: PolicyInput;
  readonly vaultKeys: readonly string[];
  readonly plugin: HookPlugin;
}

export async function openOverheardHouse({ policy, vaultKeys, plugin }: OverheardOptions): Promise<OverheardHouse> {
  const postgres = await startPostgres();
  const database = await postgres.createDatabase();
  const redis = await startOwnRedis();
  const wire = await listen(redis.url);
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const logger = (name: string) => createLogger({ name, level: 'debug', stream });
  const onError = (error: Error): void => logger('parts').warn({ err: error }, error.message);
  const queue = await createQueue({ kind: 'redis', url: redis.url, onError });
  const bus = await createBus({ kind: 'redis', url: redis.url, onError });
  const ledger = createLedger({ databaseUrl: database.appUrl });
  await ledger.tenants.ensure({ id: TENANT, name: 'Overheard' });
  await publish(ledger, policy);
  const terms = { ...HOOK_DEFAULTS, name: plugin.name };
  const shared = {
    ledger,
    queue,
    bus,
    seal: createSeal(newSealKey()),
    vaultKeys: createVaultKeys(vaultKeys),
    hooks: createHooks([{ kind: 'plugin', plugin, terms }]),
  };
  const worker = await startWorker({
    ...shared,
    logger: logger('worker'),
    config: { ...WORKER_DEFAULTS, sweepMs: 500 },
  });
  const metrics = { metrics: createMetrics(), token: null };
  const gateway = await startGateway({
    ...shared,
    metrics,
    permitKeys: [newPermitSeed()],
    logger: logger('gateway'),
    config: { ...GATEWAY_DEFAULTS, port: 0 },
  });
  const config = { host: '127.0.0.1', port: 0, cookieSecret: randomBytes(32).toString('base64url') };
  const approver = await startApprover({ ...shared, config, metrics, logger: logger('approver') });
  const key = createKeys(ledger);
  const live: string[] = [];
  const socket = await hear(approver.url, await key('approver'), live);
  return {
    gateway: gateway.url,
    approver: approver.url,
    ledger,
    key,
    live,
    dumpDatabase: () => dumpDatabase(database.ownerUrl),
    dumpRedis: async () => [...(await dumpRedis(redis.url)), ...wire.heard].join('\n'),
    logs: () => lines.join('\n'),
    close: async () => {
      socket.disconnect();
      await gateway.close();
      await approver.close();
      await worker.close();
      await Promise.all([queue.close(), bus.close(), ledger.close()]);
      wire.end();
      await redis.stop();
      await database.drop();
      await postgres.stop();
    },
  };
}

async function publish(ledger: Ledger, policy: PolicyInput): Promise<void> {
  const parsed = parsePolicyDocument(policy);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  await ledger.policies.publish({ tenantId: TENANT, name: 'default', document: parsed.document, by: 'test' });
}

function createKeys(ledger: Ledger): OverheardHouse['key'] {
  let people = 0;
  return async (role, rights = []) => {
    if (role === 'agent') return (await ledger.keys.create({ tenantId: TENANT, role, by: 'test' })).secret;
    people += 1;
    const who = { tenantId: TENANT, name: `Person ${people}`, groups: [], roles: [role], by: 'test' };
    const person = await ledger.people.create(who);
    if (person === null) throw new Error('there is a person of that name already');
    return (await ledger.keys.create({ tenantId: TENANT, role, personId: person.id, rights, by: 'test' })).secret;
  };
}

async function hear(url: string, key: string, live: string[]): Promise<Socket> {
  const socket = io(`${url}/approvals`, { transports: ['websocket'], auth: { token: key } });
  socket.onAny((...message) => live.push(JSON.stringify(message)));
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('connect_error', reject);
  });
  return socket;
}

/** Everything that Redis is told, as its own MONITOR gives it. */
async function listen(url: string) {
  const client = new Redis(url);
  const monitor = await client.monitor();
  const heard: string[] = [];
  monitor.on('monitor', (_time: string, args: string[]) => heard.push(args.join(' ')));
  return {
    heard,
    end: () => {
      monitor.disconnect();
      client.disconnect();
    },
  };
}

async function dumpRedis(url: string): Promise<string[]> {
  const client = new Redis(url);
  const parts: string[] = [];
  for (const key of await client.keys('*')) parts.push(key, JSON.stringify(await contentOf(client, key)));
  client.disconnect();
  return parts;
}

async function contentOf(client: Redis, key: string): Promise<unknown> {
  switch (await client.type(key)) {
    case 'string':
      return client.get(key);
    case 'hash':
      return client.hgetall(key);
    case 'list':
      return client.lrange(key, 0, -1);
    case 'set':
      return client.smembers(key);
    case 'zset':
      return client.zrange(key, '0', '-1');
    case 'stream':
      return client.xrange(key, '-', '+');
    default:
      return null;
  }
}

async function dumpDatabase(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const tables = await client.query<{ name: string }>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const parts: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
    parts.push(name, ...rows.map(({ row }) => row));
  }
  await client.end();
  return parts.join('\n');
}
