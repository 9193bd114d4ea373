/** The services as processes of their own behind round-robin balancers, over a Postgres and a Redis that a test may take away. */
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { PolicyInput } from '@countersign/contracts';
import { createLedger, startCluster, type Cluster, type Ledger } from '@countersign/ledger';
import { startOwnRedis, type OwnRedis } from '@countersign/testing';
import pg from 'pg';
import { send, type PeoplesDoor } from '../system/doors.js';
import { CLEAN_ENVIRONMENT, startProgram } from '../system/processes.js';
import type { Endpoints } from '../system/own-house.js';
import { startRoundRobin, type RoundRobin } from './round-robin.js';
import { Service, type ServiceName } from './service.js';

const SCRIPT = resolve('scripts/run-app.mjs');
const APP_ROLE = 'countersign_app';
/** Nothing here outlives its test, but what was committed must outlive a killed server. */
const SETTINGS = ['max_connections = 200', 'fsync = off', 'full_page_writes = off', 'log_lock_waits = on'];

export interface FaultHouseOptions {
  readonly counts: Readonly<Record<ServiceName, number>>;
  readonly policy: PolicyInput;
  /** Settings of the services beside those that every house has. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A Redis on one port that may be ended and begun again, empty each time. */
export interface ReplaceableRedis {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
  start(): Promise<void>;
  freeze(): void;
  thaw(): void;
}

interface HouseParts {
  readonly folder: string;
  readonly cluster: Cluster;
  readonly redis: ReplaceableRedis;
  readonly keys: Endpoints;
  readonly ledger: Ledger;
  readonly services: Readonly<Record<ServiceName, readonly Service[]>>;
  readonly gateway: RoundRobin;
  readonly approver: RoundRobin;
}

export class FaultHouse {
  private constructor(private readonly parts: HouseParts) {}

  /** Resolves when every service takes work and the policy is published. */
  static async open({ counts, policy, env: extra = {} }: FaultHouseOptions): Promise<FaultHouse> {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-faults-'));
    // As root the database runs as another user, who must be able to pass.
    await chmod(folder, 0o711);
    const cluster = await startCluster({
      folder: join(folder, 'cluster'),
      ownerPassword: randomUUID(),
      port: null,
      settings: SETTINGS,
    });
    const abort = (): void => cluster.abort();
    process.once('exit', abort);
    const redis = await replaceableRedis();
    const env = {
      ...CLEAN_ENVIRONMENT,
      COUNTERSIGN_HOME: join(folder, 'home'),
      DATABASE_URL: appUrl(cluster.ownerUrl),
      REDIS_URL: redis.url,
      LOG_LEVEL: 'warn',
      ...extra,
    };
    const keys = await migrate(env, cluster.ownerUrl);
    const make = (name: ServiceName): Promise<Service[]> =>
      Promise.all(Array.from({ length: counts[name] }, (_, index) => Service.make(name, index, env)));
    const services = { worker: await make('worker'), gateway: await make('gateway'), approver: await make('approver') };
    await Promise.all(
      Object.values(services)
        .flat()
        .map((service) => service.start()),
    );
    const [gateway, approver] = await Promise.all(
      [services.gateway, services.approver].map((some) => startRoundRobin(some.map(({ port }) => port))),
    );
    if (!gateway || !approver) throw new Error('a house needs balancers');
    const ledger = createLedger({ databaseUrl: appUrl(cluster.ownerUrl), poolSize: 2 });
    const house = new FaultHouse({ folder, cluster, redis, keys, ledger, services, gateway, approver });
    await house.publish(policy);
    return house;
  }

  get cluster(): Cluster {
    return this.parts.cluster;
  }

  get redis(): ReplaceableRedis {
    return this.parts.redis;
  }

  get keys(): Endpoints {
    return this.parts.keys;
  }

  get ledger(): Ledger {
    return this.parts.ledger;
  }

  get services(): HouseParts['services'] {
    return this.parts.services;
  }

  /** Base URL of the balancer before the gateways. */
  get gatewayUrl(): string {
    return this.parts.gateway.url;
  }

  /** Base URL of the balancer before the approvers. */
  get approverUrl(): string {
    return this.parts.approver.url;
  }

  /** Superuser's URL of the house's database. */
  get ownerUrl(): string {
    return this.cluster.ownerUrl;
  }

  /** Runs `work` while nothing can be appended: whatever a worker has in hand stays there. */
  async holdingWrites<T>(work: () => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: this.ownerUrl });
    // Its own end may be the fault that is tried.
    client.on('error', () => undefined);
    await client.connect();
    await client.query('BEGIN; LOCK TABLE events IN SHARE MODE');
    try {
      return await work();
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async publish(policy: PolicyInput): Promise<void> {
    const url = `${this.approverUrl}/v1/policies/default`;
    const answer = await send(url, { method: 'PUT', key: this.keys.adminKey, body: policy });
    if (answer.status !== 200) throw new Error(`the policy was refused: ${JSON.stringify(answer.body)}`);
  }

  get people(): PeoplesDoor {
    return { url: this.approverUrl, key: this.keys.approverKey };
  }

  get all(): readonly Service[] {
    return Object.values(this.services).flat();
  }

  service(name: ServiceName, index = 0): Service {
    const service = this.services[name][index];
    if (!service) throw new Error(`there is no ${name} ${index}`);
    return service;
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((service) => service.end('SIGKILL')));
    const { gateway, approver, folder } = this.parts;
    await Promise.all([gateway.close(), approver.close(), this.ledger.close().catch(() => undefined)]);
    await this.redis.stop();
    await this.cluster.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function appUrl(ownerUrl: string): string {
  const url = new URL(ownerUrl);
  url.username = APP_ROLE;
  url.password = 'faults';
  return url.href;
}

async function migrate(env: Record<string, string | undefined>, ownerUrl: string): Promise<Endpoints> {
  const migration = startProgram([SCRIPT, 'migrate'], { env: { ...env, DATABASE_OWNER_URL: ownerUrl } });
  const code = await migration.ended;
  if (code !== 0) throw new Error(`migrate ended with ${code}:\n${migration.output()}`);
  const home = env['COUNTERSIGN_HOME'] ?? '';
  return JSON.parse(await readFile(join(home, 'endpoints.json'), 'utf8')) as Endpoints;
}

async function replaceableRedis(): Promise<ReplaceableRedis> {
  let redis: OwnRedis = await startOwnRedis();
  const { url, port } = redis;
  return {
    url,
    port,
    stop: () => redis.stop(),
    start: async () => {
      redis = await startOwnRedis({ port });
    },
    freeze: () => redis.freeze(),
    thaw: () => redis.thaw(),
  };
}
