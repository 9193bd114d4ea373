/** Four workers append to one session at once: every call is decided once, in one unbroken chain. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { StoredEvent } from '@countersign/contracts';
import pg from 'pg';
import { openApart, type ApartHouse } from './apart-house.js';
import { eventsOf, send, type Answer } from './doors.js';

jest.setTimeout(180_000);

const CALLS = 200;
const WORKERS = 4;
/** Large enough that one job holds few calls, so that all workers have some at the same time. */
const PAYLOAD = 'x'.repeat(80_000);
const RESEND_MS = 1_000;

let house: ApartHouse;
beforeAll(async () => {
  const policy = { allow: ['mcp__store__put'] };
  house = await openApart({ counts: { gateway: 2, worker: WORKERS, approver: 1 }, policy });
}, 240_000);
afterAll(() => house?.close(), 60_000);

/** A gateway that has no room says so, and the agent sends the call again under the same id. */
async function put(sessionId: string, index: number, text: string): Promise<Answer> {
  const call = { sessionId, toolUseId: `call-${index}`, tool: 'mcp__store__put', args: { index, text }, cwd: '/srv' };
  for (;;) {
    const url = `${house.gateways[index % house.gateways.length]}/v1/tool-calls`;
    const answer = await send(url, { key: house.keys.agentKey, body: call });
    if (answer.status !== 503) return answer;
    await pause(RESEND_MS);
  }
}

/** The stream, oldest event first. */
async function streamOf(sessionId: string): Promise<StoredEvent[]> {
  const door = { url: house.approvers[0] ?? '', key: house.keys.auditorKey };
  return (await eventsOf(door, `session=${sessionId}`)).reverse();
}

/** Watches the database while `work` runs; gives the result and the names of the workers that were seen to append. */
async function watchAppenders<T>(work: Promise<T>): Promise<{ result: T; appenders: Set<string> }> {
  const client = new pg.Client({ connectionString: house.ownerUrl });
  await client.connect();
  const appenders = new Set<string>();
  let done = false;
  void work.catch(() => undefined).finally(() => (done = true));
  try {
    while (!done) {
      const { rows } = await client.query<{ name: string }>(APPENDING);
      for (const { name } of rows) appenders.add(name);
      await pause(5);
    }
  } finally {
    await client.end();
  }
  return { result: await work, appenders };
}

const APPENDING = `SELECT DISTINCT application_name AS name FROM pg_stat_activity
  WHERE datname = current_database() AND application_name LIKE 'worker-%' AND query LIKE '%append($1%'`;

describe('200 parallel calls to one session, over four workers', () => {
  it.each([
    ['small ones', 'small', ''],
    ['large ones, in many jobs', 'large', PAYLOAD],
  ])('%s', async (_name, sessionId, text) => {
    const calls = Promise.all(Array.from({ length: CALLS }, (_, index) => put(sessionId, index, text)));
    const { result: answers, appenders } = await watchAppenders(calls);
    expect(answers.filter(({ status, body }) => status !== 200 || body.decision !== 'allow')).toEqual([]);
    const stream = await streamOf(sessionId);
    expect(stream.map(({ type }) => type)).toEqual(['SessionStarted', ...Array(CALLS).fill('ToolCallDecided')]);
    expect(stream.map(({ seq }) => Number(seq))).toEqual(stream.map((_, index) => index + 1));
    expect(stream.slice(1).map(({ prevHash }) => prevHash)).toEqual(stream.slice(0, -1).map(({ hash }) => hash));
    expect(new Set(stream.slice(1).map(({ callId }) => callId)).size).toBe(CALLS);
    expect(new Set(answers.map(({ body }) => body.id))).toEqual(new Set(stream.slice(1).map(({ callId }) => callId)));
    process.stdout.write(`append-race: ${CALLS} calls, appended by ${[...appenders].sort().join(', ')}\n`);
    if (text !== '') expect(appenders.size).toBeGreaterThan(1);
  });

  it('leave chains that hold', async () => {
    const verified = await send(`${house.approvers[0]}/v1/verify`, { key: house.keys.auditorKey });
    expect(verified).toMatchObject({ status: 200, body: { problems: [] } });
  });
});
