/** The services as processes of their own over one Postgres and one Redis, as many of each as wanted. */
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { PolicyInput } from '@countersign/contracts';
import {
  startOwnRedis,
  startPostgres,
  type OwnRedis,
  type TestDatabase,
  type TestPostgres,
} from '@countersign/testing';
import { send } from './doors.js';
import type { Endpoints } from './own-house.js';
import { CLEAN_ENVIRONMENT, startProgram, type Program } from './processes.js';

const SCRIPT = resolve('scripts/run-app.mjs');

type ServiceName = 'gateway' | 'worker' | 'approver';

export interface ApartHouse {
  /** Keys of the four roles. */
  readonly keys: Pick<Endpoints, 'agentKey' | 'approverKey' | 'auditorKey' | 'adminKey'>;
  readonly gateways: readonly string[];
  readonly approvers: readonly string[];
  /** Superuser's URL of the database. */
  readonly ownerUrl: string;
  close(): Promise<void>;
}

export interface ApartOptions {
  readonly counts: Readonly<Record<ServiceName, number>>;
  readonly policy: PolicyInput;
}

interface Ground {
  readonly home: string;
  readonly postgres: TestPostgres;
  readonly database: TestDatabase;
  readonly redis: OwnRedis;
  readonly env: Record<string, string | undefined>;
}

/** The bus and the queue have fixed names, so the house needs a Redis of its own. */
async function prepareGround(): Promise<Ground> {
  const home = await mkdtemp(join(tmpdir(), 'countersign-apart-'));
  await chmod(home, 0o711);
  const postgres = await startPostgres();
  const database = await postgres.createEmptyDatabase();
  const redis = await startOwnRedis();
  const env = {
    ...CLEAN_ENVIRONMENT,
    COUNTERSIGN_HOME: home,
    DATABASE_URL: database.appUrl,
    REDIS_URL: redis.url,
    GATEWAY_PORT: '0',
    APPROVER_PORT: '0',
    LOG_LEVEL: 'warn',
  };
  return { home, postgres, database, redis, env };
}

async function clearGround({ home, postgres, database, redis }: Ground): Promise<void> {
  await redis.stop();
  await database.drop();
  await postgres.stop();
  await rm(home, { recursive: true, force: true });
}

async function migrate({ env, database, home }: Ground): Promise<Endpoints> {
  const migration = startProgram([SCRIPT, 'migrate'], { env: { ...env, DATABASE_OWNER_URL: database.ownerUrl } });
  const code = await migration.ended;
  if (code !== 0) throw new Error(`migrate ended with ${code}:\n${migration.output()}`);
  return JSON.parse(await readFile(join(home, 'endpoints.json'), 'utf8')) as Endpoints;
}

export async function openApart({ counts, policy }: ApartOptions): Promise<ApartHouse> {
  const ground = await prepareGround();
  const running: Program[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(running.map((program) => program.end('SIGTERM')));
    await clearGround(ground);
  };
  try {
    const keys = await migrate(ground);
    const start = (name: ServiceName) =>
      Array.from({ length: counts[name] }, (_, index) => startService(name, index, ground));
    const programs = { gateway: start('gateway'), worker: start('worker'), approver: start('approver') };
    running.push(...programs.gateway, ...programs.worker, ...programs.approver);
    const [gateways, approvers] = await Promise.all([urlsOf(programs.gateway), urlsOf(programs.approver)]);
    await Promise.all(programs.worker.map((program) => program.prints(/worker: takes calls/)));
    await publish(approvers[0] ?? '', keys.adminKey, policy);
    return { keys, gateways, approvers, ownerUrl: ground.database.ownerUrl, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Each names itself to the database, so that a test can tell who did what there. */
function startService(name: ServiceName, index: number, { env, database }: Ground): Program {
  const url = new URL(database.appUrl);
  url.searchParams.set('application_name', `${name}-${index}`);
  return startProgram([SCRIPT, name], { env: { ...env, DATABASE_URL: url.href } });
}

const urlsOf = (programs: readonly Program[]): Promise<string[]> =>
  Promise.all(programs.map(async (program) => (await program.prints(/: (http:\/\/\S+)\s/))[1] ?? ''));

async function publish(approver: string, adminKey: string, policy: PolicyInput): Promise<void> {
  const answer = await send(`${approver}/v1/policies/default`, { method: 'PUT', key: adminKey, body: policy });
  if (answer.status !== 200) throw new Error(`the policy was refused: ${JSON.stringify(answer.body)}`);
}
