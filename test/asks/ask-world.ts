/** A running house for tests of asks: gateway, two workers, two approvers with Slack and a webhook, over real Postgres and Redis. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { startApprover, type RunningApprover } from '@countersign/approver';
import type { PolicyInput } from '@countersign/contracts';
import { GATEWAY_DEFAULTS, startGateway } from '@countersign/gateway';
import { createLedger, type Ledger } from '@countersign/ledger';
import { newPermitSeed } from '@countersign/permits';
import { parsePolicyDocument } from '@countersign/policy';
import { createBus, createQueue, createSeal, newSealKey } from '@countersign/queue';
import { createLogger, createVaultKeys, newVaultKey } from '@countersign/server';
import {
  startPostgres,
  startRedis,
  startSlackWorkspace,
  startWebhookReceiver,
  type SlackWorkspace,
  type WebhookReceiver,
} from '@countersign/testing';
import { startWorker, WORKER_DEFAULTS, type RunningWorker } from '@countersign/worker';

export const TENANT = 'default';

/** Where somebody sits. */
export type Seat = 'web' | 'slack' | 'webhook';

/** Somebody who answers. `key` opens the door of the page; `user` is who they are on the other channels. */
export interface Person {
  readonly name: string;
  readonly seat: Seat;
  readonly key: string;
  readonly user: string;
}

export interface AskWorld {
  readonly gateway: string;
  /** Base URLs of the approvers that run now. */
  readonly approvers: readonly string[];
  readonly agentKey: string;
  readonly ledger: Ledger;
  /** The owner role: moves the rows' times. */
  readonly owner: pg.Pool;
  readonly slack: SlackWorkspace;
  readonly webhook: WebhookReceiver;
  /** People who may answer, a third on each channel. */
  enrol(count: number, prefix: string): Promise<Person[]>;
  /** Ends one worker while the other goes on, and starts another in its place. */
  restartWorker(): Promise<void>;
  /** The same for an approver. */
  restartApprover(): Promise<void>;
  close(): Promise<void>;
}

const CONSOLE_URL = 'https://countersign.example';

/** Everything that outlives a service. */
async function openGround(policy: PolicyInput) {
  const postgres = await startPostgres();
  const database = await postgres.createDatabase();
  const redis = await startRedis();
  const prefix = `{asks-${randomUUID()}}`;
  const queue = await createQueue({ kind: 'redis', url: redis.url, prefix });
  const bus = await createBus({ kind: 'redis', url: redis.url, prefix });
  const ledger = createLedger({ databaseUrl: database.appUrl, poolSize: 24 });
  const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 4 });
  owner.on('error', () => undefined);
  const [slack, webhook] = await Promise.all([startSlackWorkspace(), startWebhookReceiver()]);
  await ledger.tenants.ensure({ id: TENANT, name: TENANT });
  const parsed = parsePolicyDocument(policy);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  await ledger.policies.publish({ tenantId: TENANT, name: 'default', document: parsed.document, by: 'test' });
  const close = async (): Promise<void> => {
    await Promise.all([slack.close(), webhook.close(), queue.close(), bus.close()]);
    await ledger.close();
    await owner.end();
    await redis.stop();
    await database.drop();
    await postgres.stop();
  };
  const shared = {
    ...{ ledger, queue, bus },
    seal: createSeal(newSealKey()),
    vaultKeys: createVaultKeys([newVaultKey()]),
    logger: createLogger({ name: 'asks', level: process.env['TEST_LOG_LEVEL'] ?? 'error' }),
  };
  return { shared, ledger, owner, slack, webhook, close };
}

type Ground = Awaited<ReturnType<typeof openGround>>;

const openWorker = ({ shared }: Ground) =>
  startWorker({ ...shared, config: { ...WORKER_DEFAULTS, sweepMs: 100, hookMs: 500 } });

function approverOf({ shared, slack, webhook }: Ground): () => Promise<RunningApprover> {
  const { botToken, signingSecret, channel, apiUrl } = slack;
  const channels = {
    slack: [{ tenantId: TENANT, botToken, signingSecret, channel, apiUrl }],
    webhook: [
      { tenantId: TENANT, name: 'relay', url: `${webhook.url}/relay`, secrets: [webhook.secret], allowPrivate: true },
    ],
  };
  const base = { host: '127.0.0.1', port: 0, cookieSecret: randomUUID().repeat(2), consoleUrl: CONSOLE_URL };
  return () =>
    startApprover({ ...shared, config: { ...base, channels } as Parameters<typeof startApprover>[0]['config'] });
}

export async function openAskWorld(policy: PolicyInput): Promise<AskWorld> {
  const ground = await openGround(policy);
  const { shared, ledger } = ground;
  const openApprover = approverOf(ground);
  const workers: RunningWorker[] = [await openWorker(ground), await openWorker(ground)];
  const approvers: RunningApprover[] = [await openApprover(), await openApprover()];
  const gateway = await startGateway({
    ...shared,
    permitKeys: [newPermitSeed()],
    config: { ...GATEWAY_DEFAULTS, port: 0 },
  });
  const { secret: agentKey } = await ledger.keys.create({ tenantId: TENANT, role: 'agent', by: 'test' });
  return {
    gateway: gateway.url,
    get approvers() {
      return approvers.map(({ url }) => url);
    },
    agentKey,
    ledger,
    owner: ground.owner,
    slack: ground.slack,
    webhook: ground.webhook,
    enrol: (count, prefix) => enrol(ground, count, prefix),
    restartWorker: () => replaceFirst(workers, () => openWorker(ground)),
    restartApprover: () => replaceFirst(approvers, openApprover),
    close: async () => {
      await gateway.close();
      await Promise.all([...approvers, ...workers].map((service) => service.close()));
      await ground.close();
    },
  };
}

async function replaceFirst<T extends { close(): Promise<void> }>(running: T[], open: () => Promise<T>): Promise<void> {
  const old = running.shift();
  await old?.close();
  running.push(await open());
}

const SEATS: readonly Seat[] = ['web', 'slack', 'webhook'];

async function enrol({ ledger, slack }: Ground, count: number, prefix: string): Promise<Person[]> {
  const people: Person[] = [];
  for (let place = 0; place < count; place += 1) {
    const seat = SEATS[place % SEATS.length] ?? 'web';
    // As long as all others, so that none is the beginning of another.
    const name = `${prefix} ${seat} ${String(place).padStart(3, '0')}`;
    const user = `U${prefix.toUpperCase()}${place}`;
    const made = await ledger.people.create({ tenantId: TENANT, name, groups: [], roles: ['approver'], by: 'test' });
    if (made === null) throw new Error(`there is a person \`${name}\` already`);
    const personId = made.id;
    const externalId = seat === 'slack' ? `${slack.teamId}:${user}` : `relay:${user}`;
    if (seat !== 'web') {
      await ledger.people.link({ tenantId: TENANT, personId, provider: seat, externalId, by: 'test' });
    }
    const { secret } = await ledger.keys.create({ tenantId: TENANT, role: 'approver', personId, by: 'test' });
    people.push({ name, seat, key: secret, user });
  }
  return people;
}
