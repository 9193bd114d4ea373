/** A whole house for tests of the path of a call: real Postgres, a real queue, workers and a gateway behind a real socket. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { CallOutcome, PolicyInput } from '@countersign/contracts';
import { startGateway, GATEWAY_DEFAULTS, type GatewayConfig } from '@countersign/gateway';
import type { Hooks } from '@countersign/hooks';
import { createLedger, type Ledger, type NewKey } from '@countersign/ledger';
import { newPermitSeed } from '@countersign/permits';
import { parsePolicyDocument } from '@countersign/policy';
import { createBus, createQueue, createSeal, newSealKey, type Bus, type Queue } from '@countersign/queue';
import { createLogger, createVaultKeys, newVaultKey } from '@countersign/server';
import { startPostgres, startRedis, type RedisFixture } from '@countersign/testing';
import { startWorker, WORKER_DEFAULTS } from '@countersign/worker';

export const TENANT = 'house';

export interface House {
  readonly url: string;
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly bus: Bus;
  /** Secret of an agent's key that is bound to nothing. */
  readonly agentKey: string;
  makeKey(key?: Partial<NewKey>): Promise<string>;
  publish(name: string, policy: PolicyInput): Promise<void>;
  /** Ends an ask as a person does at another door. */
  answer(sessionId: string, askId: string, answer: 'approve' | 'reject'): Promise<void>;
  post(path: string, body: unknown, key?: string): Promise<Answer>;
  get(path: string, key?: string): Promise<Answer>;
  startWorker(): Promise<{ close(): Promise<void> }>;
  stopWorkers(): Promise<void>;
  /** Takes away every job of the queue behind everybody's back; over Redis only. */
  loseJobs(): Promise<void>;
  closeGateway(): Promise<void>;
  close(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown> & Partial<CallOutcome> & { error?: { code: string; message: string } };
}

export interface HouseOptions {
  readonly policy: PolicyInput;
  /** True: the Redis of the tests; a URL: that one. */
  readonly redis?: boolean | string;
  readonly workers?: number;
  readonly gateway?: Partial<GatewayConfig>;
  /** Hooks around calls and results. */
  readonly hooks?: Hooks;
  /** Seeds of permit keys; one of its own unless given. */
  readonly permitKeys?: readonly string[];
}

export async function openHouse(options: HouseOptions): Promise<House> {
  const postgres = await startPostgres();
  const database = await postgres.createDatabase();
  const redis = await redisOf(options.redis);
  const prefix = `{test-${randomUUID()}}`;
  const queue = await openQueue(redis, database.ownerUrl, prefix);
  const bus = await openBus(redis, prefix);
  const ledger = createLedger({ databaseUrl: database.appUrl });
  await ledger.tenants.ensure({ id: TENANT, name: 'House' });
  const publish = (name: string, policy: PolicyInput) => publishPolicy(ledger, name, policy);
  await publish('default', options.policy);
  const seal = createSeal(newSealKey());
  const vaultKeys = createVaultKeys([newVaultKey()]);
  const logger = createLogger({ name: 'test', level: process.env['TEST_LOG_LEVEL'] ?? 'silent' });
  const hooked = options.hooks === undefined ? {} : { hooks: options.hooks };
  const workers = new Set<{ close(): Promise<void> }>();
  const open = async () => {
    const worker = await startWorker({
      ledger,
      queue,
      bus,
      seal,
      vaultKeys,
      logger,
      ...hooked,
      config: { ...WORKER_DEFAULTS, sweepMs: 500 },
    });
    workers.add(worker);
    return worker;
  };
  for (let count = options.workers ?? 1; count > 0; count -= 1) await open();
  const config = { ...GATEWAY_DEFAULTS, port: 0, ...options.gateway };
  const permitKeys = options.permitKeys ?? [newPermitSeed()];
  const gateway = await startGateway({ ledger, queue, bus, seal, vaultKeys, logger, permitKeys, ...hooked, config });
  let closing: Promise<void> | undefined;
  const closeGateway = () => (closing ??= gateway.close());
  const makeKey = async (key: Partial<NewKey> = {}) =>
    (await ledger.keys.create({ tenantId: TENANT, role: 'agent', by: 'test', ...key })).secret;
  const agentKey = await makeKey();
  const stopWorkers = async () => {
    await Promise.all([...workers].map((worker) => worker.close()));
    workers.clear();
  };
  return {
    url: gateway.url,
    ledger,
    queue,
    bus,
    agentKey,
    makeKey,
    publish,
    answer: (sessionId, askId, answer) => answerAsk({ ledger, bus }, { sessionId, askId, answer }),
    post: (path, body, key = agentKey) => send(gateway.url + path, { method: 'POST', body, key }),
    get: (path, key = agentKey) => send(gateway.url + path, { method: 'GET', key }),
    startWorker: open,
    stopWorkers,
    loseJobs: () => deleteKeys(redis, prefix),
    closeGateway,
    close: async () => {
      await closeGateway();
      await stopWorkers();
      await Promise.all([queue.close(), bus.close()]);
      await ledger.close();
      await redis?.stop();
      await database.drop();
      await postgres.stop();
    },
  };
}

async function redisOf(wish: boolean | string | undefined): Promise<RedisFixture | null> {
  if (typeof wish === 'string') return { url: wish, stop: async () => undefined };
  return wish === true ? startRedis() : null;
}

function openQueue(redis: RedisFixture | null, ownerUrl: string, prefix: string): Promise<Queue> {
  return redis === null
    ? createQueue({ kind: 'postgres', url: ownerUrl })
    : createQueue({ kind: 'redis', url: redis.url, prefix });
}

function openBus(redis: RedisFixture | null, prefix: string): Promise<Bus> {
  return redis === null ? createBus({ kind: 'memory' }) : createBus({ kind: 'redis', url: redis.url, prefix });
}

async function publishPolicy(ledger: Ledger, name: string, policy: PolicyInput): Promise<void> {
  const parsed = parsePolicyDocument(policy);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  await ledger.policies.publish({ tenantId: TENANT, name, document: parsed.document, by: 'test' });
}

async function answerAsk(
  { ledger, bus }: { ledger: Ledger; bus: Bus },
  { sessionId, askId, answer }: { sessionId: string; askId: string; answer: 'approve' | 'reject' },
): Promise<void> {
  const by = { channel: 'web', personId: 'person-1', personName: 'Mira' } as const;
  const result = await ledger.execute(
    { tenantId: TENANT, sessionId },
    { type: 'AnswerAsk', askId, answer, scope: 'once', by, reason: null, grantId: `grant_${randomUUID()}` },
  );
  if (!result.ok) throw new Error(`the answer was refused: ${result.code}`);
  const ended = result.outcomes.find((outcome) => outcome.askId === askId);
  if (!ended) throw new Error('the answer ended nothing');
  const status = answer === 'approve' ? 'approved' : 'rejected';
  await bus.decided({ tenantId: TENANT, sessionId, askId, status, channel: 'web', outcome: ended.outcome });
}

async function send(url: string, request: { method: string; body?: unknown; key: string }): Promise<Answer> {
  const { method, body, key } = request;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: text }),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

async function deleteKeys(redis: RedisFixture | null, prefix: string): Promise<void> {
  if (redis === null) throw new Error('this house has no Redis');
  const client = new Redis(redis.url);
  const keys = await client.keys(`${prefix.replace(/[[\]]/g, '?')}:*`);
  if (keys.length > 0) await client.del(...keys);
  await client.quit();
}

/** Waits until `look` gives something, at most 5 s. */
export async function eventually<T>(look: () => Promise<T | null | undefined | false>): Promise<T> {
  for (let tries = 0; tries < 250; tries += 1) {
    const found = await look();
    if (found) return found;
    await pause(20);
  }
  throw new Error('it did not happen within 5 s');
}
