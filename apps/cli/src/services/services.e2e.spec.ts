/** The services run apart, over a Postgres and a Redis of their own, as `npm run migrate` and `npm run start:…` run them. Needs a finished build. */
import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  freePort,
  startOwnRedis,
  startPostgres,
  type OwnRedis,
  type TestDatabase,
  type TestPostgres,
} from '@countersign/testing';
import type { Endpoints } from '../home/endpoints.js';

const SCRIPT = resolve('scripts/run-app.mjs');
const folder = mkdtempSync(join(tmpdir(), 'countersign-services-'));
chmodSync(folder, 0o711);
const home = join(folder, 'home');

let postgres: TestPostgres;
let database: TestDatabase;
let redis: OwnRedis;
let environment: Record<string, string | undefined>;
const running: { child: ChildProcess; ended: Promise<number | null> }[] = [];

beforeAll(async () => {
  postgres = await startPostgres();
  database = await postgres.createEmptyDatabase();
  redis = await startOwnRedis();
  environment = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    COUNTERSIGN_HOME: home,
    DATABASE_URL: database.appUrl,
    REDIS_URL: redis.url,
    GATEWAY_PORT: String(await freePort()),
    APPROVER_PORT: String(await freePort()),
    LOG_LEVEL: 'warn',
  };
}, 120_000);

afterAll(async () => {
  for (const { child, ended } of running) {
    child.kill('SIGTERM');
    await ended;
  }
  await redis.stop();
  await database.drop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

function launch(name: string, env: Record<string, string | undefined> = {}) {
  const child = spawn(process.execPath, [SCRIPT, name], {
    env: { ...environment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const parts: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => parts.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => parts.push(chunk.toString()));
  const ended = new Promise<number | null>((settle) => child.on('close', settle));
  return { child, ended, output: () => parts.join('') };
}

async function serve(name: string): Promise<void> {
  const service = launch(name);
  running.push(service);
  const giveUp = Date.now() + 60_000;
  while (!service.output().includes(`${name}: `)) {
    if (Date.now() > giveUp || service.child.exitCode !== null) throw new Error(service.output());
    await sleep(50);
  }
}

async function complaint(name: string, env: Record<string, string | undefined>): Promise<string> {
  const service = launch(name, env);
  expect(await service.ended).toBe(1);
  // Beside the log and the build, what the service says for people.
  return service
    .output()
    .split('\n')
    .filter((line) => line.startsWith(`${name}: `))
    .join('\n');
}

describe('services that run apart', () => {
  it('refuse to start, in one line, over a database that is not migrated', async () => {
    expect(await complaint('worker', { DATABASE_URL: database.ownerUrl })).toBe(
      'worker: the database cannot be used: migrations: none was applied yet: run `npm run migrate`',
    );
  }, 60_000);

  it('migrate, any number of times', async () => {
    const owner = { DATABASE_OWNER_URL: database.ownerUrl };
    for (let time = 0; time < 2; time += 1) {
      const migration = launch('migrate', owner);
      expect({ code: await migration.ended, output: migration.output() }).toMatchObject({
        code: 0,
        output: expect.stringContaining('migrate: the database is ready'),
      });
    }
  }, 120_000);

  it.each([
    [
      'Redis that is not there',
      { REDIS_URL: 'redis://127.0.0.1:9' },
      /^worker: the (queue|bus) cannot be used: [^\n]+$/,
    ],
    ['no Redis', { REDIS_URL: undefined }, /^worker: REDIS_URL is not set[^\n]+$/],
    ['no database', { DATABASE_URL: undefined }, /^worker: DATABASE_URL is not set$/],
    [
      'a database that is not there',
      { DATABASE_URL: 'postgresql://a:b@127.0.0.1:9/x' },
      /^worker: the database cannot be used: [^\n]+$/,
    ],
    [
      'a seal key that is none',
      { COUNTERSIGN_HOME: '/nonexistent', COUNTERSIGN_SEAL_KEY: 'abc' },
      /^worker: COUNTERSIGN_SEAL_KEY: a seal key must be base64 of 32 bytes$/,
    ],
    ['no seal key', { COUNTERSIGN_HOME: '/nonexistent' }, /^worker: COUNTERSIGN_SEAL_KEY is not set[^\n]+$/],
  ])(
    'refuse to start, in one line, with %s',
    async (_name, env, line) => {
      expect(await complaint('worker', env)).toMatch(line);
    },
    60_000,
  );

  it('refuse to start, in one line, where HOST is none of this machine', async () => {
    const lines = await Promise.all(
      ['gateway', 'worker', 'approver'].map((name) => complaint(name, { HOST: '203.0.113.9' })),
    );
    expect(lines).toEqual(
      ['gateway', 'worker', 'approver'].map((name) => `${name}: HOST: 203.0.113.9 is not an address of this machine`),
    );
  }, 60_000);

  it('refuse a Redis that may throw jobs away', async () => {
    const forgetful = await startOwnRedis({ maxmemoryPolicy: 'allkeys-lru' });
    expect(await complaint('worker', { REDIS_URL: forgetful.url })).toMatch(
      /^worker: the queue cannot be used: [^\n]*noeviction[^\n]*$/,
    );
    await forgetful.stop();
  }, 60_000);

  it('judge a call together', async () => {
    await Promise.all(['gateway', 'worker', 'approver'].map(serve));
    const endpoints = JSON.parse(readFileSync(join(home, 'endpoints.json'), 'utf8')) as Endpoints;
    const post = async (url: string, key: string, body: object) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await answer.json()) as Record<string, unknown>;
    };
    const call = {
      sessionId: 's1',
      toolUseId: 't1',
      tool: 'Bash',
      args: { command: 'git push' },
      cwd: '/tmp',
      wait: 30,
    };
    const waiting = post(`${endpoints.gateway}/v1/tool-calls`, endpoints.agentKey, call);
    const open = async () => {
      const headers = { authorization: `Bearer ${endpoints.approverKey}` };
      const answer = await fetch(`${endpoints.console}/v1/asks?status=open`, { headers });
      return ((await answer.json()) as { items: { id: string }[] }).items;
    };
    let asks = await open();
    for (let tries = 0; asks.length === 0 && tries < 200; tries += 1) {
      await sleep(50);
      asks = await open();
    }
    await post(`${endpoints.console}/v1/asks/${asks[0]?.id}/answer`, endpoints.approverKey, { answer: 'approve' });
    expect(await waiting).toMatchObject({ decision: 'allow', approvalStatus: 'approved' });
  }, 120_000);

  it('stop in order', async () => {
    for (const { child } of running) child.kill('SIGTERM');
    expect(await Promise.all(running.map(({ ended }) => ended))).toEqual([0, 0, 0]);
    running.length = 0;
  }, 60_000);

  it('are refused under an unknown name', async () => {
    const service = launch('kitchen');
    expect(await service.ended).toBe(2);
    expect(service.output()).toContain('unknown service `kitchen`');
  }, 60_000);
});
