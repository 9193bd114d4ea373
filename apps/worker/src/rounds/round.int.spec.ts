import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CallOutcome, ToolCall } from '@countersign/contracts';
import { startPostgres, type TestDatabase, type TestPostgres } from '@countersign/testing';
import type { Ledger } from '@countersign/ledger';
import { runRound, type RoundDeps } from './round.js';
import { asItem, makeCall, openLedger, publish, roundDeps, TENANT } from './round-fixture.js';

let postgres: TestPostgres;
let database: TestDatabase;
let ledger: Ledger;

const POLICY = {
  deny: ['Bash(git push *)'],
  ask: ['Bash(make *)', 'WebFetch'],
  allow: ['Bash(echo *)', 'Bash(true)'],
};

beforeAll(async () => {
  postgres = await startPostgres();
  database = await postgres.createDatabase();
  ledger = await openLedger(database.appUrl, POLICY);
}, 60_000);
afterAll(async () => {
  await ledger?.close();
  await database?.drop();
  await postgres?.stop();
});

async function decide(deps: RoundDeps, calls: readonly ToolCall[]): Promise<CallOutcome[]> {
  const { settled } = await runRound(
    calls.map((call) => asItem(call)),
    deps,
  );
  return calls.map((call) => {
    const found = settled.find(({ item }) => item.call === call);
    if (!found) throw new Error(`call ${call.id} was not settled`);
    return found.outcome;
  });
}

async function eventsOf(sessionId: string): Promise<string[]> {
  const page = await ledger.events.list(TENANT, { session: sessionId, limit: 500 });
  return page.items.map((event) => event.type);
}

const bash = (command: string, wish: Parameters<typeof makeCall>[0] = {}): ToolCall =>
  makeCall({ args: { command }, ...wish });

describe('a round', () => {
  it('allows, denies and asks, and records each before it answers', async () => {
    const deps = roundDeps(ledger);
    const sessionId = 'three';
    const calls = ['echo hi', 'git push origin', 'make all'].map((command) => bash(command, { sessionId }));
    const outcomes = await decide(deps, calls);
    expect(outcomes.map((outcome) => outcome.decision)).toEqual(['allow', 'deny', 'pending']);
    expect(outcomes[2]).toMatchObject({ askId: expect.stringMatching(/^ask_/), approvalStatus: null });
    expect((await eventsOf(sessionId)).sort()).toEqual(
      ['AskOpened', 'SessionStarted', 'ToolCallDecided', 'ToolCallDecided'].sort(),
    );
  });

  it('joins the same call in the same round, in a later one and with another worker', async () => {
    const sessionId = 'joins';
    const first = bash('echo once', { sessionId, toolUseId: 'u1' });
    const again = { ...first, id: 'call_again' };
    const deps = roundDeps(ledger);
    const outcomes = await decide(deps, [first, again]);
    const later = await decide(deps, [{ ...first, id: 'call_later' }]);
    const elsewhere = await decide(roundDeps(ledger), [{ ...first, id: 'call_elsewhere' }]);
    expect(new Set([...outcomes, ...later, ...elsewhere].map((outcome) => outcome.id))).toEqual(new Set([first.id]));
    expect(await eventsOf(sessionId)).toHaveLength(2);
  });

  it('denies and records a reused id, and the first call keeps its key', async () => {
    const sessionId = 'reused';
    const deps = roundDeps(ledger);
    const first = bash('echo a', { sessionId, toolUseId: 'u1' });
    const other = bash('echo b', { sessionId, toolUseId: 'u1' });
    const [one, two] = await decide(deps, [first, other]);
    const [three] = await decide(roundDeps(ledger), [{ ...other, id: 'call_third' }]);
    const [four] = await decide(roundDeps(ledger), [{ ...first, id: 'call_fourth' }]);
    expect(one?.decision).toBe('allow');
    expect([two?.ruleId, three?.ruleId]).toEqual(['call.id_reused', 'call.id_reused']);
    expect(four).toMatchObject({ id: first.id, decision: 'allow' });
    expect(await eventsOf(sessionId)).toHaveLength(4);
  });

  it('joins a PermissionRequest to the newest unfinished call with the same arguments', async () => {
    const sessionId = 'permission';
    const first = bash('make x', { sessionId });
    const prompt = bash('make x', { sessionId, joinsByHash: true });
    const other = bash('make y', { sessionId, joinsByHash: true });
    const [one, two] = await decide(roundDeps(ledger), [first, prompt]);
    const [three, four] = await decide(roundDeps(ledger), [{ ...prompt, id: 'call_p2', toolUseId: 'own_p2' }, other]);
    expect(two).toMatchObject({ id: first.id, askId: one?.askId });
    expect(three).toMatchObject({ id: first.id, askId: one?.askId });
    expect(four?.askId).not.toBe(one?.askId);
  });

  it('denies under an unknown policy and under one that cannot be compiled', async () => {
    const deps = roundDeps(ledger);
    const [outcome] = await decide(deps, [bash('echo hi', { sessionId: 'lost', opening: { policy: 'nowhere' } })]);
    expect(outcome).toMatchObject({ decision: 'deny', ruleId: 'policy.unknown' });
    expect(await eventsOf('lost')).toContain('ToolCallDecided');
  });

  it('sees a new policy with the next call', async () => {
    const deps = roundDeps(ledger);
    const session = { sessionId: 'fresh', opening: { policy: 'moving' } };
    await publish(ledger, 'moving', { allow: ['Bash(echo *)'] });
    const [before] = await decide(deps, [bash('echo a', session)]);
    await publish(ledger, 'moving', { deny: ['Bash(echo *)'] });
    const [after] = await decide(deps, [bash('echo b', session)]);
    expect([before?.decision, after?.decision]).toEqual(['allow', 'deny']);
  });

  it('opens the whole line of a subagent and holds it by its parent', async () => {
    const deps = roundDeps(ledger);
    const parent = makeCall().opening;
    const child = {
      sessionId: 'root/a',
      opening: { parentId: 'root' },
      ancestors: [{ sessionId: 'root', opening: parent }],
    };
    const [one] = await decide(deps, [bash('echo a', child)]);
    expect(one?.decision).toBe('allow');
    expect(await eventsOf('root')).toEqual(['SessionStarted']);
    await ledger.execute({ tenantId: TENANT, sessionId: 'root' }, { type: 'CancelSession', reason: 'enough', by: 'p' });
    const [two] = await decide(deps, [bash('echo b', child)]);
    expect(two).toMatchObject({ decision: 'deny', ruleId: 'guard.cancelled' });
  });

  it("counts a subagent's denials in the total of its root", async () => {
    await publish(ledger, 'tight', {
      deny: ['Bash(git push *)'],
      breaker: { inARow: 9, total: 2, counts: ['policy'] },
    });
    const deps = roundDeps(ledger);
    const opening = { policy: 'tight' };
    const ancestors = [{ sessionId: 'boss', opening: { ...makeCall().opening, policy: 'tight' } }];
    const child = (sessionId: string) =>
      bash('git push x', { sessionId, opening: { ...opening, parentId: 'boss' }, ancestors });
    const outcomes = await decide(deps, [child('boss/a'), child('boss/b')]);
    const [root] = await decide(deps, [bash('true', { sessionId: 'boss', opening })]);
    expect(outcomes.map((outcome) => outcome.decision)).toEqual(['deny', 'deny']);
    expect(root).toMatchObject({ decision: 'deny', ruleId: 'guard.breaker', stop: true });
  });

  it('denies a call below the session of another key, and opens nothing there', async () => {
    const deps = roundDeps(ledger);
    await decide(deps, [bash('true', { sessionId: 'theirs' })]);
    const [outcome] = await decide(deps, [
      bash('true', { sessionId: 'mine', keyId: 'key-2', opening: { parentId: 'theirs' } }),
    ]);
    const [own] = await decide(deps, [bash('true', { sessionId: 'theirs', keyId: 'key-2' })]);
    expect([outcome?.ruleId, own?.ruleId]).toEqual(['auth.not_own_session', 'auth.not_own_session']);
  });
});

describe('many workers on one session', () => {
  it('make one unbroken chain of 200 parallel calls', async () => {
    const sessionId = 'hot';
    const workers = Array.from({ length: 4 }, () => roundDeps(ledger));
    const calls = Array.from({ length: 200 }, (_, index) => bash(`echo ${index}`, { sessionId }));
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, round) => decide(workers[round % 4]!, calls.slice(round * 5, round * 5 + 5))),
    );
    expect(outcomes.flat().every((outcome) => outcome.decision === 'allow')).toBe(true);
    const types = await eventsOf(sessionId);
    expect(types).toHaveLength(201);
    expect(types.filter((type) => type === 'SessionStarted')).toHaveLength(1);
    const report = await ledger.verify(TENANT);
    expect(report.problems).toEqual([]);
  }, 60_000);
});

describe('a call that breaks its unit', () => {
  it('is a recorded deny, and its neighbours are decided', async () => {
    const faults: string[] = [];
    const deps = roundDeps(ledger, faults);
    const sessionId = 'broken';
    // A reason that is no text breaks the event's schema, whatever the call was decided to be.
    const bad = bash('echo bad', { sessionId, description: 7 as unknown as string });
    const calls = [bash('echo a', { sessionId }), bash('echo b', { sessionId })];
    await expect(
      runRound(
        [...calls, bad].map((call) => asItem(call)),
        deps,
      ),
    ).rejects.toThrow('cannot be recorded');
    expect(faults.length).toBeGreaterThan(0);
    const [a, b] = await decide(deps, calls);
    expect([a?.decision, b?.decision]).toEqual(['allow', 'allow']);
    expect(await eventsOf(sessionId)).toHaveLength(3);
  });

  it('is denied as internal.error when the engine breaks on it', async () => {
    const faults: string[] = [];
    const deps = roundDeps(ledger, faults);
    const sessionId = 'engine';
    const call = bash('echo hi', { sessionId });
    const hostile = { ...call, args: { ...call.args, json: '{"command":' } } as ToolCall;
    const [good, denied] = await decide(deps, [bash('echo a', { sessionId }), hostile]);
    expect(good?.decision).toBe('allow');
    expect(denied).toMatchObject({ decision: 'deny', ruleId: 'internal.error' });
    expect(faults).toHaveLength(1);
  });
});
