/** Commands on sessions: answers, expiry, ends, results, and who wins. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { replay, type SessionCommand } from '@countersign/approval';
import type { SessionEvent } from '@countersign/contracts';
import { openTestLedger, type TestLedger } from '@countersign/testing';
import type { ExecutedCommand, Ledger } from './index.js';
import { decided, opened, OPENING, request, started, TENANT, unit } from './spec-data.js';

let house: TestLedger;
let ledger: Ledger;
let owner: TestLedger['owner'];

beforeAll(async () => {
  house = await openTestLedger(TENANT);
  ({ ledger, owner } = house);
}, 60_000);

afterAll(() => house?.close());

const ANN = { channel: 'web' as const, personId: 'person_ann', personName: 'Ann' };

function answer(askId: string, change: Partial<Extract<SessionCommand, { type: 'AnswerAsk' }>> = {}): SessionCommand {
  const grantId = `grant_${askId}`;
  return { type: 'AnswerAsk', askId, answer: 'approve', scope: 'once', by: ANN, reason: null, grantId, ...change };
}

const run = (sessionId: string, command: SessionCommand): Promise<ExecutedCommand> =>
  ledger.execute({ tenantId: TENANT, sessionId }, command);

async function seed(sessionId: string, ...events: SessionEvent[]): Promise<void> {
  const all = events[0]?.type === 'SessionStarted' ? events : [started(sessionId), ...events];
  expect(await ledger.append([unit(sessionId, 0, all)])).toMatchObject([{ ok: true }]);
}

async function eventsOf(sessionId: string): Promise<SessionEvent[]> {
  const stored = await ledger.events.ofStream({ tenantId: TENANT, streamId: sessionId }, 0, 1_000);
  return stored.map(({ type, version, body }) => ({ type, version, body }) as SessionEvent);
}

const typesOf = async (sessionId: string) => (await eventsOf(sessionId)).map((event) => event.type);

/** INVARIANT of every test here: the cached state is what the stream amounts to. */
async function expectStateToFit(sessionId: string): Promise<void> {
  expect((await ledger.sessions.get(TENANT, sessionId))?.state).toEqual(replay(await eventsOf(sessionId)));
}

const passTime = (askId: string) =>
  owner.query("UPDATE asks SET deadline = clock_timestamp() - interval '1 second' WHERE id = $1", [askId]);

describe('an ask', () => {
  it('gets its deadline from the database and is answered once', async () => {
    const events = [
      started('s1'),
      opened('s1', 'ask_1', { timeoutMs: 60_000 }),
      opened('s1', 'ask_2', { timeoutMs: null }),
    ];
    const [stored] = await ledger.append([unit('s1', 0, events)]);
    const deadline = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(stored).toMatchObject({
      ok: true,
      asks: [
        { askId: 'ask_1', deadline },
        { askId: 'ask_2', deadline: null },
      ],
    });
    const view = await ledger.asks.get(TENANT, 'ask_1');
    expect(view).toMatchObject({ status: 'open', ruleId: 'rule.ask', path: ['s1'], resolvedBy: null, version: 1 });
    expect(Date.parse(view?.deadline ?? '') - Date.parse(view?.openedAt ?? '')).toBe(60_000);
    const won = await run('s1', answer('ask_1'));
    expect(won).toMatchObject({
      ok: true,
      outcomes: [
        { askId: 'ask_1', callId: 'call_use_ask_1', outcome: { decision: 'allow', approvalStatus: 'approved' } },
      ],
    });
    const lost = await run('s1', answer('ask_1', { answer: 'reject' }));
    expect(lost).toMatchObject({
      ok: false,
      code: 'ask.already_resolved',
      ask: { resolvedBy: 'Ann', resolvedVia: 'web' },
    });
    expect((await ledger.calls.byId(TENANT, 'call_use_ask_1'))?.outcome).toMatchObject({ decision: 'allow' });
    expect((await typesOf('s1')).slice(-4)).toEqual([
      'AskAnswered',
      'AskResolved',
      'ToolCallDecided',
      'AskAnswerRefused',
    ]);
    await expectStateToFit('s1');
  });

  it('expires by the database clock, neither sooner nor later', async () => {
    await seed('s2', opened('s2', 'ask_3'));
    expect(await run('s2', { type: 'ExpireAsk', askId: 'ask_3' })).toMatchObject({
      ok: false,
      code: 'request.invalid',
    });
    expect((await ledger.asks.due(10)).filter((ask) => ask.askId === 'ask_3')).toEqual([]);
    await passTime('ask_3');
    expect(await run('s2', answer('ask_3'))).toMatchObject({ ok: false, code: 'ask.expired', ask: { status: 'open' } });
    expect(await ledger.asks.due(10)).toContainEqual({ tenantId: TENANT, sessionId: 's2', askId: 'ask_3' });
    const expired = await run('s2', { type: 'ExpireAsk', askId: 'ask_3' });
    expect(expired).toMatchObject({
      ok: true,
      outcomes: [{ outcome: { decision: 'deny', approvalStatus: 'expired' } }],
    });
    expect(await run('s2', answer('ask_3'))).toMatchObject({ ok: false, code: 'ask.expired' });
    await expectStateToFit('s2');
  });

  it('cannot be approved late by a writer that looks at nothing', async () => {
    await seed('s3', opened('s3', 'ask_4'));
    const [, resolved, closed] = await eventsWhenApproved('ask_4', 's3');
    await passTime('ask_4');
    const [late] = await ledger.append([unit('s3', null, [resolved!, closed!])]);
    expect(late).toEqual({ ok: false, conflict: 'ask', detail: 'ask_4' });
    const [bare] = await ledger.append([unit('s3', null, [closed!])]);
    expect(bare).toMatchObject({ ok: false, error: expect.stringContaining('without the event that ends it') });
    expect((await ledger.calls.byId(TENANT, 'call_use_ask_4'))?.status).toBe('open');
  });

  it('unknown, foreign and of another tenant is refused alike', async () => {
    await seed('s4', opened('s4', 'ask_5'));
    await seed('s5');
    expect(await run('s5', answer('ask_5'))).toEqual({ ok: false, code: 'ask.unknown' });
    expect(await run('s5', answer('ask_none'))).toEqual({ ok: false, code: 'ask.unknown' });
    expect(await ledger.asks.get('other', 'ask_5')).toBeNull();
    const foreign = await ledger.execute({ tenantId: 'other', sessionId: 's4' }, answer('ask_5'));
    expect(foreign).toEqual({ ok: false, code: 'ask.unknown' });
    expect((await ledger.asks.get(TENANT, 'ask_5'))?.status).toBe('open');
  });

  it('answers every call that joined it', async () => {
    const joined = { type: 'AskJoined', version: 1, body: { askId: 'ask_6', request: request('second') } } as const;
    await seed('s6', opened('s6', 'ask_6'), joined);
    const later = { ...joined, body: { askId: 'ask_6', request: request('third') } };
    const head = await ledger.sessions.get(TENANT, 's6');
    await ledger.append([unit('s6', 3, [later], { state: head?.state ?? null })]);
    const ended = await run('s6', answer('ask_6'));
    expect(ended.ok && ended.outcomes.map((item) => item.callId)).toEqual([
      'call_second',
      'call_third',
      'call_use_ask_6',
    ]);
    for (const id of ['call_use_ask_6', 'call_second', 'call_third']) {
      expect((await ledger.calls.byId(TENANT, id))?.outcome).toMatchObject({ decision: 'allow' });
    }
    await expectStateToFit('s6');
  });

  it('that was parked leaves a grant that is consumed once', async () => {
    await seed('s7', opened('s7', 'ask_7'));
    expect(await run('s7', { type: 'ParkAsk', askId: 'ask_7' })).toMatchObject({ ok: true });
    const before = await ledger.tenants.get(TENANT);
    expect(await run('s7', answer('ask_7'))).toMatchObject({ ok: true });
    expect((await ledger.tenants.get(TENANT))?.epoch).toBe(before?.epoch);
    const consumed = (callId: string): SessionEvent => ({
      type: 'GrantConsumed',
      version: 1,
      body: { grantId: 'grant_ask_7', callId },
    });
    const { rows } = await owner.query("SELECT status FROM grants WHERE id = 'grant_ask_7'");
    expect(rows).toEqual([{ status: 'active' }]);
    const head = await ledger.sessions.get(TENANT, 's7');
    const use = (seq: number) =>
      unit('s7', seq, [consumed('c'), decided('s7', `use${seq}`)], { state: head?.state ?? null });
    expect(await ledger.append([use(head?.seq ?? 0)])).toMatchObject([{ ok: true }]);
    expect(await ledger.append([use((head?.seq ?? 0) + 2)])).toMatchObject([{ ok: false, conflict: 'grant' }]);
  });

  it('that is held again after it was parked is parked no more', async () => {
    await seed('s12', opened('s12', 'ask_12'));
    const parked = async () => (await owner.query("SELECT parked FROM asks WHERE id = 'ask_12'")).rows;
    await run('s12', { type: 'ParkAsk', askId: 'ask_12' });
    expect(await parked()).toEqual([{ parked: true }]);
    const head = await ledger.sessions.get(TENANT, 's12');
    const held: SessionEvent = { type: 'AskHeld', version: 1, body: { askId: 'ask_12', callId: 'call_use_ask_12' } };
    const held12 = unit('s12', head?.seq ?? 0, [held], { state: head?.state ?? null });
    expect(await ledger.append([held12])).toMatchObject([{ ok: true }]);
    expect(await parked()).toEqual([{ parked: false }]);
  });

  it('approved for always raises the epoch', async () => {
    await seed('s8', opened('s8', 'ask_8'));
    const before = (await ledger.tenants.get(TENANT))?.epoch ?? 0;
    expect(await run('s8', answer('ask_8', { scope: 'always' }))).toMatchObject({ ok: true });
    expect((await ledger.tenants.get(TENANT))?.epoch).toBe(before + 1);
  });

  it('opened and ended in one unit is stored as ended', async () => {
    const [, resolved, closed] = await eventsWhenApproved('ask_9', 's9');
    await seed('s9', opened('s9', 'ask_9'), ...(resolved && closed ? [resolved, closed] : []));
    expect(await ledger.asks.get(TENANT, 'ask_9')).toMatchObject({ status: 'approved' });
    expect((await ledger.calls.byId(TENANT, 'call_use_ask_9'))?.status).toBe('decided');
  });
});

describe('the end of a session', () => {
  it('ends its open asks and those below it', async () => {
    await seed('e1', opened('e1', 'ask_e1'));
    await seed('e2', started('e2', { parentId: 'e1' }, 'e1'), opened('e2', 'ask_e2'));
    await seed('e3', started('e3', { parentId: 'e2' }, 'e1'), opened('e3', 'ask_e3'));
    await seed('e4', opened('e4', 'ask_e4'));
    const cancelled = await run('e1', { type: 'CancelSession', reason: 'enough', by: 'ann' });
    expect(cancelled.ok && cancelled.outcomes.map((item) => item.askId).sort()).toEqual(['ask_e1', 'ask_e2', 'ask_e3']);
    for (const id of ['ask_e1', 'ask_e2', 'ask_e3'])
      expect((await ledger.asks.get(TENANT, id))?.status).toBe('cancelled');
    expect((await ledger.asks.get(TENANT, 'ask_e4'))?.status).toBe('open');
    expect(await run('e3', answer('ask_e3'))).toMatchObject({ ok: false, code: 'ask.already_resolved' });
    await expectStateToFit('e1');
    await expectStateToFit('e3');
  });

  it('of an ancestor refuses approvals below, whatever was read before', async () => {
    await seed('f1');
    await seed('f2', started('f2', { parentId: 'f1' }, 'f1'), opened('f2', 'ask_f2'));
    const results = await Promise.all([
      run('f1', { type: 'CancelSession', reason: 'enough', by: 'ann' }),
      run('f2', answer('ask_f2')),
    ]);
    const ask = await ledger.asks.get(TENANT, 'ask_f2');
    expect(results[0]).toMatchObject({ ok: true });
    expect(ask?.status).toBe(results[1]?.ok ? 'approved' : 'cancelled');
  });

  it('counts a rejection below in the root, and its breaker ends every ask', async () => {
    await seed('h1', opened('h1', 'ask_h1'));
    for (let index = 0; index < 20; index += 1) {
      const id = `h1-${index}`;
      await seed(id, started(id, { parentId: 'h1' }, 'h1'), opened(id, `ask_${id}`, { agent: id }));
      const rejected = await run(id, answer(`ask_${id}`, { answer: 'reject' }));
      expect(rejected).toMatchObject({ ok: true });
      if (index === 19) expect(rejected).toMatchObject({ rootStopped: 'h1' });
    }
    const root = await ledger.sessions.get(TENANT, 'h1');
    expect(root?.state).toMatchObject({ denialsTotal: 20, breakerOpen: true, openAsks: [] });
    expect((await ledger.asks.get(TENANT, 'ask_h1'))?.status).toBe('cancelled');
    await expectStateToFit('h1');
  }, 30_000);
});

describe('other commands', () => {
  it('open a session once, and again without an event', async () => {
    const command = { type: 'OpenSession', sessionId: 'o1', opening: OPENING, keyId: 'key_1', rootId: 'o1' } as const;
    expect(await run('o1', command)).toMatchObject({ ok: true, seq: 1 });
    expect(await run('o1', command)).toEqual({ ok: true, events: [], seq: 1, outcomes: [] });
    expect(await run('o1', { ...command, keyId: 'key_2' })).toEqual({ ok: false, code: 'auth.not_own_session' });
    expect(await ledger.sessions.get(TENANT, 'o1')).toMatchObject({ keyId: 'key_1', rootId: 'o1', parentId: null });
    expect(await run('nobody', { type: 'StopSession', reason: '', by: 'x' })).toEqual({
      ok: false,
      code: 'session.unknown',
    });
  });

  it('take a result once', async () => {
    await seed('r1', decided('r1', 'r1a'));
    const result = { callId: 'call_r1a', tool: 'Bash', elapsedMs: 1, preview: 'ok', outputHash: null, error: null };
    const report = { type: 'ReportResult', status: 'succeeded', ...result } as const;
    expect(await run('r1', report)).toMatchObject({ ok: true, seq: 3 });
    expect(await run('r1', report)).toMatchObject({ ok: true, events: [] });
    expect(await run('r1', { ...report, status: 'failed' })).toMatchObject({ ok: false, code: 'call.result_differs' });
    expect(await run('r1', { ...report, callId: 'call_none' })).toMatchObject({ ok: false, code: 'call.unknown' });
    expect(await typesOf('r1')).toEqual(['SessionStarted', 'ToolCallDecided', 'ToolResultReported', 'AgentReported']);
    // A result that the state has forgotten is still known by the call's row.
    await owner.query(
      "UPDATE heads SET state = jsonb_set(state::jsonb, '{reports}', '[]')::text WHERE stream_id = 'r1'",
    );
    expect(await run('r1', report)).toMatchObject({ ok: true, events: [] });
    expect(await run('r1', { ...report, status: 'failed' })).toMatchObject({ ok: false, code: 'call.result_differs' });
  });

  it('find the newest unfinished call of the same arguments', async () => {
    await seed('j1', decided('j1', 'j1a'), decided('j1', 'j1b'));
    const join = { tenantId: TENANT, sessionId: 'j1', agent: 'claude-code', tool: 'Bash', callHash: 'a'.repeat(64) };
    const load = () => ledger.loadRound({ tenants: [], streams: [], keys: [], hashJoins: [join] });
    expect((await load()).joins).toMatchObject([{ join, prior: { callId: 'call_j1b' } }]);
    const report = {
      tool: 'Bash',
      elapsedMs: 1,
      preview: '',
      outputHash: null,
      error: null,
      status: 'succeeded',
    } as const;
    await run('j1', { type: 'ReportResult', callId: 'call_j1b', ...report });
    expect((await load()).joins).toMatchObject([{ prior: { callId: 'call_j1a' } }]);
    await run('j1', { type: 'ReportResult', callId: 'call_j1a', ...report });
    expect((await load()).joins).toEqual([]);
  });

  it('all succeed when thirty hit one session at once', async () => {
    await seed('m1');
    const notes = Array.from({ length: 30 }, (_, index) =>
      run('m1', { type: 'ReportEvent', kind: 'note', detail: `${index}` }),
    );
    expect((await Promise.all(notes)).filter((result) => !result.ok)).toEqual([]);
    await expectStateToFit('m1');
    expect((await ledger.verify()).problems).toEqual([]);
  }, 20_000);
});

/** The events of an approval, as a writer would have made them: answered, resolved, decided. */
async function eventsWhenApproved(askId: string, sessionId: string): Promise<SessionEvent[]> {
  const twin = `twin-${sessionId}`;
  const ask = opened(twin, `twin_${askId}`);
  await seed(twin, ask);
  const result = await run(twin, answer(`twin_${askId}`));
  const events = result.ok ? result.events : [];
  return JSON.parse(JSON.stringify(events).replaceAll(`twin_${askId}`, askId)) as SessionEvent[];
}
