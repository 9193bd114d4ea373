/** The obvious build's worker: 64 jobs at once, each judged by the same engine and core, each stored by one prepared insert. */
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import { decideCall, effectiveMode, openedState, sessionFacts } from '@countersign/approval';
import { canonicalJson, toolCallSchema } from '@countersign/contracts';
import { createLedger } from '@countersign/ledger';
import { compilePolicy, engineCallOf, evaluate } from '@countersign/policy';

const CONCURRENCY = 64;
const { DATABASE_URL, REDIS_URL, OBVIOUS_POOL = '16' } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(OBVIOUS_POOL) });
const ledger = createLedger({ databaseUrl: DATABASE_URL, poolSize: 1 });
const INSERT = {
  name: 'decide',
  text: `INSERT INTO obvious.decisions
    (tenant_id, session_id, agent, tool_use_id, attempt, call_id, tool, decision, rule_id, body)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
};
/** The policy is read once: the obvious build does not notice a new one. */
const policies = new Map();

async function policyOf(tenantId, name) {
  const key = JSON.stringify([tenantId, name]);
  if (!policies.has(key)) {
    const { document, hash, epoch } = await ledger.policies.current(tenantId, name);
    policies.set(key, { name, document, hash, epoch, compiled: compilePolicy(document).policy });
  }
  return policies.get(key);
}

async function handle(job) {
  const call = toolCallSchema.parse(job.data);
  const state = openedState(call, []);
  const policy = await policyOf(call.tenantId, call.opening.policy);
  const session = { ...sessionFacts(state, []), mode: effectiveMode(state, call, policy.document) };
  const facts = { now: new Date().toISOString(), session, protectedPaths: [], platform: 'linux' };
  const verdict = evaluate(engineCallOf(call, call.args), policy.compiled, {
    resolvedPaths: call.resolvedPaths,
    ...facts,
  });
  const basis = { policyName: policy.name, policyHash: policy.hash, epoch: policy.epoch, seqs: {}, facts };
  const input = { state, call, verdict, basis, policy: policy.document, newAskId: `ask_${call.id}`, prior: null };
  const { events, outcome } = decideCall(input);
  const decided = events.at(-1).body;
  const { tenantId, sessionId, agent, toolUseId, attempt, id, tool } = call;
  const key = [tenantId, sessionId, agent, toolUseId, attempt, id, tool];
  await pool.query({ values: [...key, outcome.decision, outcome.ruleId, canonicalJson(decided)], ...INSERT });
  return outcome;
}

const worker = new Worker('evaluate', handle, {
  prefix: '{obvious}',
  concurrency: CONCURRENCY,
  connection: new Redis(REDIS_URL, { maxRetriesPerRequest: null }),
});
worker.on('failed', (_job, error) => console.error(error));
await worker.waitUntilReady();
console.log('worker: takes calls');
process.on('SIGTERM', () => process.exit());
