/** NOTIFY and its limits: what the queue on Postgres announces is a name, and work goes on when its listener dies. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPostgres, type TestDatabase, type TestPostgres } from '@countersign/testing';
import pg from 'pg';
import { createQueue, type Queue } from './index.js';

let postgres: TestPostgres;
let database: TestDatabase;
let queue: Queue;
let owner: pg.Pool;

beforeAll(async () => {
  postgres = await startPostgres();
  database = await postgres.createEmptyDatabase();
  owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2 });
  owner.on('error', () => undefined);
  queue = await createQueue({ kind: 'postgres', url: database.ownerUrl, schema: 'queue' });
}, 60_000);

afterAll(async () => {
  await queue?.close();
  await owner?.end();
  await database?.drop();
  await postgres?.stop();
});

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 20_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const job = (calls: string) => ({ replyTo: 'gateway-1', calls, count: 1 });
const LISTENERS = "query LIKE 'LISTEN%' OR query LIKE '%LISTEN bullmq%'";

describe('C32', () => {
  it('C32 the ledger announces nothing: no function of it notifies', async () => {
    const folder = fileURLToPath(new URL('../../../prisma/migrations/', import.meta.url));
    const names = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
    const scripts = await Promise.all(
      names.map(({ name }) => readFile(path.join(folder, name, 'migration.sql'), 'utf8')),
    );
    expect(scripts.length).toBeGreaterThan(1);
    for (const script of scripts) expect(script).not.toMatch(/\bNOTIFY\b|pg_notify/i);
  });

  it('C32 a job of 20 KB passes, and so does the next one after the listener was terminated', async () => {
    const seen: string[] = [];
    const consumer = queue.consume(
      async (one) => {
        seen.push(one.calls);
      },
      { concurrency: 2 },
    );
    await consumer.ready();
    const large = 'x'.repeat(20_000);
    await queue.enqueue(job(large));
    await until(() => seen.includes(large));
    const announced = await owner.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND (${LISTENERS})`,
    );
    expect(announced.rows[0]?.n).toBeGreaterThan(0);
    const ended = await owner.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND (${LISTENERS})`,
    );
    expect(ended.rowCount).toBeGreaterThan(0);
    // Added at once, so that nobody listens while it is announced: whoever listens again must look for what it missed.
    await queue.enqueue(job('missed'));
    await until(() => seen.includes('missed'));
    await queue.enqueue(job('heard'));
    await until(() => seen.includes('heard'));
    expect(seen).toEqual([large, 'missed', 'heard']);
    await consumer.close();
  }, 60_000);
});
