/** Tampering with the log as its owner could, and what the verifier says of it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openTestLedger, type TestLedger } from '@countersign/testing';
import type { Ledger } from './index.js';
import { decided, started, TENANT, unit } from './spec-data.js';

let house: TestLedger;
let ledger: Ledger;
let owner: TestLedger['owner'];

beforeAll(async () => {
  house = await openTestLedger(TENANT);
  ({ ledger, owner } = house);
  const events = Array.from({ length: 9 }, (_, index) => decided('v1', `v${index}`));
  await ledger.append([unit('v1', 0, [started('v1'), ...events])]);
  await ledger.append([unit('v2', 0, [started('v2')])]);
}, 60_000);

afterAll(() => house?.close());

/** Tampers, and tells what the verifier finds; the next test begins with the kept log again. */
async function tamper(...statements: string[]): Promise<[string, number, string][]> {
  for (const statement of statements) await owner.query(statement);
  const { problems } = await ledger.verify(TENANT);
  return problems.map(({ streamId, seq, problem }) => [streamId, seq, problem]);
}

beforeEach(async () => {
  await owner.query('CREATE TABLE IF NOT EXISTS kept_events AS SELECT * FROM events');
  await owner.query('CREATE TABLE IF NOT EXISTS kept_heads AS SELECT * FROM heads');
  await owner.query('DELETE FROM events');
  await owner.query('INSERT INTO events OVERRIDING SYSTEM VALUE SELECT * FROM kept_events');
  await owner.query('DELETE FROM heads');
  await owner.query('INSERT INTO heads SELECT * FROM kept_heads');
});

const CHANGED = 'the event does not fit its hash: it was changed';
const AT_FIVE = "WHERE stream_id = 'v1' AND seq = 5";

describe('the verifier', () => {
  it('finds nothing wrong with a log that nobody touched', async () => {
    const seen: number[] = [];
    const report = await ledger.verify(undefined, (done) => seen.push(done.events));
    expect(report).toEqual({ streams: 3, events: 12, problems: [] });
    expect(seen.at(-1)).toBe(12);
  });

  it.each([
    ['time', `"time" + interval '1 microsecond'`],
    ['type', `type || 'x'`],
    ['version', 'version + 1'],
    ['call_id', `call_id || 'x'`],
    ['call_id', 'NULL'],
    ['ask_id', `'ask_x'`],
    ['ask_id', `''`],
    ['agent', `'x'`],
    ['tool', `'x'`],
    ['decision', `'deny'`],
    ['rule_id', `'x'`],
    ['person_id', `'x'`],
    ['channel', `'web'`],
    ['body', `replace(body, 'rule.allow', 'rule.alloW')`],
    ['body', `body || ' '`],
    ['hash', `set_byte(hash, 0, get_byte(hash, 0) # 1)`],
    ['prev_hash', `set_byte(prev_hash, 31, get_byte(prev_hash, 31) # 1)`],
  ])('finds a change of %s to %s', async (column, value) => {
    const problems = await tamper(`UPDATE events SET "${column}" = ${value} ${AT_FIVE}`);
    expect(problems[0]).toEqual(['v1', 5, CHANGED]);
  });

  it('finds values that were moved between neighbouring columns', async () => {
    const moved = `UPDATE events SET rule_id = decision || rule_id, decision = '' ${AT_FIVE}`;
    expect(await tamper(moved)).toEqual([['v1', 5, CHANGED]]);
  });

  it('finds an event that was given to another tenant or stream', async () => {
    const problems = await tamper(`UPDATE events SET stream_id = 'v2', seq = 2 ${AT_FIVE}`);
    expect(problems).toEqual([
      ['v1', 6, 'event 5 is missing'],
      ['v2', 2, CHANGED],
      ['v2', 2, 'the head is at 1, but the last event is 2: the newest are missing'],
    ]);
  });

  it('finds removed events', async () => {
    expect(await tamper(`DELETE FROM events ${AT_FIVE}`)).toEqual([['v1', 6, 'event 5 is missing']]);
    const more = await tamper("DELETE FROM events WHERE stream_id = 'v1' AND seq BETWEEN 2 AND 7");
    expect(more).toEqual([['v1', 8, 'events 2 to 7 are missing']]);
  });

  it('finds two events that were swapped', async () => {
    const move = (from: number, to: number) => `UPDATE events SET seq = ${to} WHERE stream_id = 'v1' AND seq = ${from}`;
    expect(await tamper(move(7, 99), move(8, 7), move(99, 8))).toEqual([
      ['v1', 7, CHANGED],
      ['v1', 8, CHANGED],
      ['v1', 9, 'the event does not follow the one before it'],
    ]);
    const bodies = `UPDATE events e SET body = o.body FROM kept_events o
      WHERE e.stream_id = 'v1' AND o.stream_id = 'v1' AND e.seq IN (2, 3) AND o.seq = 5 - e.seq`;
    expect((await tamper(bodies)).map(([, seq]) => seq)).toEqual(expect.arrayContaining([2, 3]));
  });

  it('finds a tail that was cut off, and a stream that was emptied', async () => {
    expect(await tamper("DELETE FROM events WHERE stream_id = 'v1' AND seq > 8")).toEqual([
      ['v1', 8, 'the head is at 10, but the last event is 8: the newest are missing'],
    ]);
    expect(await tamper("DELETE FROM events WHERE stream_id = 'v2'")).toContainEqual([
      'v2',
      1,
      'the head is at 1, but every event of the stream is missing',
    ]);
  });

  it('finds a head that was changed or removed, and a copied event', async () => {
    expect(await tamper("UPDATE heads SET hash = '\\x00' WHERE stream_id = 'v1'")).toEqual([
      ['v1', 10, 'the head has another hash than the last event'],
    ]);
    expect(await tamper("DELETE FROM heads WHERE stream_id = 'v1'")).toEqual([
      ['v1', 10, 'the stream has events but no head'],
    ]);
    const again = `INSERT INTO events (txid, tenant_id, stream_id, seq, "time", type, version, call_id, agent, tool, decision,
        rule_id, body, prev_hash, hash)
      SELECT txid, tenant_id, stream_id, seq, "time" + interval '1 second', type, version, call_id, agent, tool, decision,
        rule_id, body, prev_hash, hash FROM events ${AT_FIVE}`;
    expect((await tamper(again)).map(([, seq]) => seq)).toContain(5);
  });
});
