/** Decisions, answers, cancels, grants and kill switches from six processes on the same sessions of one database. */
import { fileURLToPath } from 'node:url';
import { replay } from '@countersign/approval';
import { canonicalJson, policyDocumentSchema, type SessionEvent } from '@countersign/contracts';
import { createLedger, type Ledger } from '@countersign/ledger';
import { startPostgres } from '@countersign/testing';
import pg from 'pg';
import { CLEAN_ENVIRONMENT, startProgram, type Program } from '../system/processes.js';

const PROCESS = fileURLToPath(new URL('./process.mjs', import.meta.url));
const PROCESSES = 6;
const TENANT = 'tenant-1';

export interface MixedLoad {
  /** Deadlocks that Postgres counted in this database. */
  readonly deadlocks: number;
  /** Locks that were not given in time on a busy machine: the work is given back and tried again later. */
  readonly lockTimeouts: number;
  /** What else was thrown anywhere; empty when every wish was carried out or refused by a value. */
  readonly errors: readonly string[];
  /** What was done, by kind. */
  readonly done: Readonly<Record<string, number>>;
  readonly refused: Readonly<Record<string, number>>;
  readonly events: number;
  readonly chainProblems: readonly unknown[];
  /** Sessions whose stored state is not what their events make. */
  readonly differing: readonly string[];
  /** Tenant-wide grants that were used more often than they say. */
  readonly overused: readonly string[];
}

interface Summary {
  readonly done: Record<string, number>;
  readonly refused: Record<string, number>;
  readonly faults: readonly string[];
  readonly errors: readonly string[];
}

export interface MixedLoadOptions {
  /** How long, at least. */
  readonly seconds: number;
  /** How many wishes of each of two hands in each process, at least: a busy machine takes its time. */
  readonly works: number;
  readonly seed: number;
}

/** Runs the load and looks at what it left. The seed fixes what each process wishes, not how wishes meet. */
export async function mixedLoad(options: MixedLoadOptions): Promise<MixedLoad> {
  const postgres = await startPostgres();
  const database = await postgres.createDatabase();
  const ledger = createLedger({ databaseUrl: database.appUrl, poolSize: 2 });
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  try {
    await ledger.tenants.ensure({ id: TENANT, name: 'one' });
    const document = policyDocumentSchema.parse({ allow: ['Bash(ls)'], deny: ['Bash(rm *)'] });
    await ledger.policies.publish({ tenantId: TENANT, name: 'default', document, by: 'test' });
    const summaries = await runProcesses(database.appUrl, options);
    return await lookAt(ledger, owner, summaries);
  } finally {
    await ledger.close();
    await owner.end();
    await database.drop();
    await postgres.stop();
  }
}

async function runProcesses(databaseUrl: string, options: MixedLoadOptions): Promise<Summary[]> {
  const { seconds, works, seed } = options;
  const programs = Array.from({ length: PROCESSES }, (_, i) => {
    const args = [PROCESS, databaseUrl, `p${i}`, String(seconds), String(works), String(seed + i)];
    return startProgram(args, { env: CLEAN_ENVIRONMENT });
  });
  try {
    return await Promise.all(programs.map(summaryOf));
  } finally {
    // Where one failed, the others would go on for as long as they were told to.
    await Promise.all(programs.map((program) => program.end('SIGKILL')));
  }
}

async function summaryOf(program: Program): Promise<Summary> {
  const code = await program.ended;
  const line = program.output().trim().split('\n').at(-1) ?? '';
  if (code !== 0) throw new Error(`a process ended with ${code}: ${program.output().slice(-2_000)}`);
  return JSON.parse(line) as Summary;
}

async function lookAt(ledger: Ledger, owner: pg.Client, summaries: readonly Summary[]): Promise<MixedLoad> {
  const { rows } = await owner.query<{ deadlocks: string; events: string }>(
    `SELECT (SELECT deadlocks FROM pg_stat_database WHERE datname = current_database())::text AS deadlocks,
       (SELECT count(*) FROM events)::text AS events`,
  );
  const over = await owner.query<{ id: string }>(
    `WITH used AS (
       SELECT e.body::jsonb ->> 'grantId' AS id, count(*) AS times FROM events e WHERE e.type = 'GrantConsumed' GROUP BY 1
     )
     SELECT g.id FROM grants g LEFT JOIN used u ON u.id = g.id
     WHERE g.uses IS NOT NULL AND g.uses - g.remaining <> coalesce(u.times, 0)`,
  );
  const thrown = summaries.flatMap(({ errors, faults }) => [...errors, ...faults]);
  return {
    deadlocks: Number(rows[0]?.deadlocks ?? -1),
    lockTimeouts: thrown.filter(isLockTimeout).length,
    errors: thrown.filter((line) => !isLockTimeout(line)),
    done: sum(summaries.map((one) => one.done)),
    refused: sum(summaries.map((one) => one.refused)),
    events: Number(rows[0]?.events ?? 0),
    chainProblems: (await ledger.verify()).problems,
    differing: await differing(ledger),
    overused: over.rows.map((row) => row.id),
  };
}

const isLockTimeout = (line: string): boolean => line.includes(' 55P03 ');

function sum(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const one of all) for (const [name, count] of Object.entries(one)) total[name] = (total[name] ?? 0) + count;
  return total;
}

async function differing(ledger: Ledger): Promise<string[]> {
  const { items } = await ledger.sessions.list({ tenantId: TENANT, limit: 100 });
  const found: string[] = [];
  for (const { id, state } of items) {
    const events: SessionEvent[] = [];
    for (let after = 0; ;) {
      const page = await ledger.events.ofStream({ tenantId: TENANT, streamId: id }, after, 5_000);
      for (const { type, version, body, seq } of page) {
        events.push({ type, version, body } as SessionEvent);
        after = Number(seq);
      }
      if (page.length < 5_000) break;
    }
    if (canonicalJson(replay(events)) !== canonicalJson(state)) found.push(id);
  }
  return found;
}
