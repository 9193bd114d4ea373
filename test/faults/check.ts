/** What must hold after every fault: one decision for each call, none allowed without one, nobody kept waiting, whole chains. */
import { expect } from '@jest/globals';
import pg from 'pg';
import type { FaultHouse } from './house.js';
import type { Attempt, Told } from './load.js';

/** A call that needs no person is decided or refused within this long, whatever is away. */
export const BOUND_MS = 15_000;
const LOG_LINES = 30;

export interface Summary {
  readonly calls: number;
  readonly decided: number;
  readonly refusals: number;
  readonly broken: number;
  /** Calls that ended their workers, or happened to be judged when one was ended twice. */
  readonly internal: number;
  readonly slowestMs: number;
  /** Reasons of refusals and broken connections, with their number. */
  readonly reasons: Readonly<Record<string, number>>;
}

/** Throws where something of it does not hold; prints and gives the sums. */
export async function checkLoad(house: FaultHouse, name: string, told: readonly Told[]): Promise<Summary> {
  const stored = await decisionsOf(house.ownerUrl, name);
  const attempts = told.flatMap((one) => one.attempts);
  const slowest = Math.max(...attempts.filter(isAnswer).map(({ ms }) => ms));
  const summary: Summary = {
    calls: told.length,
    decided: told.filter((one) => one.decision !== null).length,
    refusals: count(attempts, 'refused'),
    broken: count(attempts, 'broken'),
    internal: [...stored.values()].flat().filter(({ rule }) => rule === 'internal.error').length,
    slowestMs: Math.round(slowest),
    reasons: tally(attempts),
  };
  process.stdout.write(`${name}: ${JSON.stringify(summary)}\n`);
  if (summary.decided < told.length || slowest > BOUND_MS) tellLogs(house);
  expect(summary.decided).toBe(told.length);
  expect(wrongCounts(stored, told)).toEqual([]);
  expect(told.filter((one) => stored.get(one.call.toolUseId)?.[0]?.decision !== one.decision)).toEqual([]);
  expect(wronglyDecided(told)).toEqual([]);
  expect(slowest).toBeLessThan(BOUND_MS);
  const verified = await house.ledger.verify();
  expect(verified.problems).toEqual([]);
  return summary;
}

/** The last lines of every service, for whoever looks into a failure. */
function tellLogs(house: FaultHouse): void {
  for (const { name, port, output } of house.all) {
    process.stdout.write(`--- ${name} ${port}\n${output.split('\n').slice(-LOG_LINES).join('\n')}\n`);
  }
}

interface StoredDecision {
  readonly decision: string;
  readonly rule: string;
}

/** Tool-use id -> its decisions, straight from the table. */
async function decisionsOf(ownerUrl: string, name: string): Promise<Map<string, StoredDecision[]>> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ tool_use: string; decision: string; rule: string }>(
      `SELECT body::jsonb -> 'request' ->> 'toolUseId' AS tool_use, decision, rule_id AS rule FROM events
       WHERE type = 'ToolCallDecided' AND stream_id LIKE $1`,
      [`${name}-%`],
    );
    const byCall = new Map<string, StoredDecision[]>();
    for (const { tool_use: id, decision, rule } of rows)
      byCall.set(id, [...(byCall.get(id) ?? []), { decision, rule }]);
    return byCall;
  } finally {
    await client.end();
  }
}

/** Calls with no decision or more than one, and decisions of calls that nobody sent. */
function wrongCounts(stored: ReadonlyMap<string, StoredDecision[]>, told: readonly Told[]): string[] {
  const ids = new Set(told.map(({ call }) => call.toolUseId));
  const foreign = [...stored.keys()].filter((id) => !ids.has(id));
  const wrong = [...ids].filter((id) => stored.get(id)?.length !== 1);
  return [...foreign, ...wrong];
}

/** A call may be denied because its worker died twice over it; nothing else may differ from the policy. */
function wronglyDecided(told: readonly Told[]): Told[] {
  return told.filter((one) => one.decision !== one.call.effect && one.ruleId !== 'internal.error');
}

/** A connection that broke was no answer of the service. */
const isAnswer = ({ kind }: Attempt): boolean => kind !== 'broken';

function tally(attempts: readonly Attempt[]): Record<string, number> {
  const reasons: Record<string, number> = {};
  for (const { why } of attempts) if (why !== '') reasons[why] = (reasons[why] ?? 0) + 1;
  return reasons;
}

const count = (attempts: readonly Attempt[], kind: Attempt['kind']): number =>
  attempts.filter((attempt) => attempt.kind === kind).length;
