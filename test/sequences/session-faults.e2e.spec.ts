/** Faults of sessions and their children that users of agents reported, through the doors of a running stack. */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { AskView, CallOutcome } from '@countersign/contracts';
import { send, type Answer } from '../system/doors.js';
import { sequenceRowSchema } from './sequence-row.js';
import { Sequence } from './sequence.js';
import { openStack, type Stack } from './stack.js';

jest.setTimeout(60_000);

let stack: Stack;
beforeAll(async () => {
  stack = await openStack([]);
}, 90_000);
afterAll(() => stack?.close(), 60_000);

const ASKING = { ask: ['Bash(make *)'], allow: ['Bash(echo *)'], deny: ['Bash(git push *)'] };

function open(id: string, policy: object = ASKING): Promise<Sequence> {
  const where = { roots: ['/srv'], cwd: '/srv', home: '/home/dev' };
  const row = { id, preset: 'standard', mode: 'default', policy, ...where, steps: [], why: '' };
  return Sequence.open(stack, sequenceRowSchema.parse(row));
}

const bash = async (
  sequence: Sequence,
  sessionId: string,
  command: string,
  toolUseId: string,
): Promise<CallOutcome> => {
  const body = { sessionId, toolUseId, tool: 'Bash', args: { command }, cwd: '/srv', agent: 'lead', wait: 0 };
  const answer = await sequence.agent('POST', '/v1/tool-calls', body);
  expect(answer.status).toBe(200);
  return answer.body as CallOutcome;
};
const answer = (sequence: Sequence, askId: string | undefined, body: object): Promise<Answer> =>
  send(`${stack.approver}/v1/asks/${askId}/answer`, { key: sequence.keys.approver, body });
const look = async (sequence: Sequence, { id }: CallOutcome): Promise<CallOutcome> =>
  (await sequence.agent('GET', `/v1/tool-calls/${id}`)).body as CallOutcome;
const openBelow = (sequence: Sequence, id: string, parentId: string, more: object = {}) =>
  sequence.openSession(id, { agent: 'worker', parentId, ...more });

describe('child sessions', () => {
  it('B10 show their asks with the path from the root, and the answer reaches them', async () => {
    const sequence = await open('b10');
    await openBelow(sequence, 'S1', sequence.sessionId);
    await openBelow(sequence, 'S2', 'S1');
    const pending = await bash(sequence, 'S2', 'make all', 'deep');
    const { body } = await sequence.people('GET', '/v1/asks?status=open');
    const [ask] = (body as unknown as { items: AskView[] }).items;
    expect(ask).toMatchObject({ id: pending.askId, sessionId: 'S2', path: [sequence.sessionId, 'S1', 'S2'] });
    expect((await answer(sequence, pending.askId, { answer: 'approve' })).status).toBe(200);
    expect(await look(sequence, pending)).toMatchObject({ decision: 'allow', approvalStatus: 'approved' });
  });

  it('B10 ask nobody where the policy keeps children from asking, and say why', async () => {
    const sequence = await open('b10-silent', { ...ASKING, childAsks: false });
    const opened = await openBelow(sequence, 'S1', sequence.sessionId);
    expect(opened.body['silent']).toBe(true);
    expect(await bash(sequence, 'S1', 'make all', 'one')).toMatchObject({ decision: 'deny', ruleId: 'session.silent' });
    expect((await bash(sequence, sequence.sessionId, 'make all', 'two')).decision).toBe('pending');
  });

  it('B30 do not use a grant of their parent’s session, nor does any other session, unless it was handed over', async () => {
    const sequence = await open('b30');
    const pending = await bash(sequence, sequence.sessionId, 'make test', 'first');
    const scope = { answer: 'approve', scope: 'session', pattern: 'Bash(make test)' };
    expect((await answer(sequence, pending.askId, scope)).status).toBe(200);
    expect((await bash(sequence, sequence.sessionId, 'make test', 'second')).decision).toBe('allow');
    await stack.crashWorker();
    expect((await bash(sequence, sequence.sessionId, 'make test', 'third')).decision).toBe('allow');
    await sequence.openSession('other', {});
    expect((await bash(sequence, 'other', 'make test', 'fourth')).decision).toBe('pending');
    await openBelow(sequence, 'plain', sequence.sessionId);
    expect((await bash(sequence, 'plain', 'make test', 'fifth')).decision).toBe('pending');
    const [grant] = (await sequence.state()).grants;
    await openBelow(sequence, 'handed', sequence.sessionId, { grants: [grant?.id] });
    expect((await bash(sequence, 'handed', 'make test', 'sixth')).decision).toBe('allow');
    expect((await openBelow(sequence, 'greedy', sequence.sessionId, { grants: ['grant_of_nobody'] })).status).toBe(404);
  });

  it('B35 of one parent, and calls of one turn, have asks of their own, answered in any order', async () => {
    const sequence = await open('b35');
    for (const id of ['left', 'right']) await openBelow(sequence, id, sequence.sessionId);
    const ids = [sequence.sessionId, 'left', 'right'];
    // The same tool-use id and the same arguments everywhere: the session is part of the key.
    const calls = await Promise.all(ids.map((id) => bash(sequence, id, 'make it', 'toolu_1')));
    expect(new Set(calls.map(({ askId }) => askId)).size).toBe(3);
    const answers = ['approve', 'approve', 'reject'];
    for (const place of [2, 1, 0]) await answer(sequence, calls[place]?.askId, { answer: answers[place] });
    const ends = await Promise.all(calls.map((one) => look(sequence, one)));
    expect(ends.map(({ decision }) => decision)).toEqual(['allow', 'allow', 'deny']);
    const again = await Promise.all(ids.map((id) => bash(sequence, id, 'make it', 'toolu_1')));
    expect(again.map(({ id, decision }) => [id, decision])).toEqual(ends.map(({ id, decision }) => [id, decision]));
  });

  it('B37 are approved after a restart, and the record says who asked', async () => {
    const sequence = await open('b37');
    await openBelow(sequence, 'B', sequence.sessionId);
    const pending = await bash(sequence, 'B', 'make release', 'inner');
    await stack.crashWorker();
    await stack.crashWorker();
    expect((await answer(sequence, pending.askId, { answer: 'approve' })).status).toBe(200);
    expect((await look(sequence, pending)).decision).toBe('allow');
    const decided = await sequence.events({ call: pending.id, type: 'ToolCallDecided' });
    expect(decided.map(({ streamId, decision }) => [streamId, decision])).toEqual([['B', 'allow']]);
    expect(await sequence.events({ session: sequence.sessionId, type: 'ToolCallDecided' })).toEqual([]);
  });

  it('count their refusals in their own breaker and in the total of their root', async () => {
    const sequence = await open('child-counts', {
      ...ASKING,
      breaker: { inARow: 3, total: 4, counts: ['policy', 'person'] },
    });
    await openBelow(sequence, 'C', sequence.sessionId);
    const asked = await bash(sequence, 'C', 'make a', 'a');
    await answer(sequence, asked.askId, { answer: 'reject' });
    expect(await sequence.state('C')).toMatchObject({ denialsInRow: 1, denialsTotal: 1 });
    expect(await sequence.state()).toMatchObject({ denialsInRow: 0, denialsTotal: 1 });
    for (const id of ['b', 'c', 'd']) await bash(sequence, 'C', `git push ${id}`, id);
    expect(await sequence.state('C')).toMatchObject({ breakerOpen: true, denialsTotal: 3 });
    expect(await sequence.state()).toMatchObject({ breakerOpen: false, denialsTotal: 3 });
    await bash(sequence, sequence.sessionId, 'git push e', 'e');
    expect((await sequence.state()).breakerOpen).toBe(true);
    expect(await bash(sequence, sequence.sessionId, 'echo hi', 'f')).toMatchObject({ decision: 'deny', stop: true });
  });
});

describe('a cancelled run', () => {
  it('B12 ends its asks as cancelled, takes the next message, and a press comes too late', async () => {
    const sequence = await open('b12');
    const pending = await bash(sequence, sequence.sessionId, 'make all', 'r1');
    const on = (name: string, body: object) =>
      sequence.agent('POST', `/v1/sessions/${sequence.sessionId}/${name}`, body);
    expect((await on('cancel', {})).status).toBe(200);
    expect((await bash(sequence, sequence.sessionId, 'echo hi', 'r2')).ruleId).toBe('guard.cancelled');
    expect((await on('stop', {})).status).toBe(200);
    expect((await on('prompts', { text: 'now do this' })).status).toBe(200);
    expect((await bash(sequence, sequence.sessionId, 'echo hi', 'r3')).decision).toBe('allow');
    const late = await answer(sequence, pending.askId, { answer: 'approve' });
    expect([late.status, late.body.error?.code]).toEqual([409, 'ask.already_resolved']);
    expect(await look(sequence, pending)).toMatchObject({ decision: 'deny', approvalStatus: 'cancelled' });
  });

  it('B12 an agent’s key withdraws its own call and marks none as allowed or denied', async () => {
    const sequence = await open('b12-withdraw');
    const pending = await bash(sequence, sequence.sessionId, 'make all', 'r1');
    const url = `${stack.approver}/v1/asks/${pending.askId}/answer`;
    for (const wanted of ['approve', 'reject']) {
      expect((await send(url, { key: sequence.keys.agent, body: { answer: wanted } })).status).toBe(403);
    }
    const given = await sequence.agent('POST', `/v1/tool-calls/${pending.id}/result`, { status: 'cancelled' });
    expect(given.status).toBe(200);
    expect(await look(sequence, pending)).toMatchObject({ decision: 'deny', approvalStatus: 'cancelled' });
  });
});

describe('a person’s refusal', () => {
  it('B33 answers the same call ten times over without asking, and the run is stopped', async () => {
    const sequence = await open('b33', { ...ASKING, denialMemorySeconds: 600 });
    const first = await bash(sequence, sequence.sessionId, 'make deploy', 'n0');
    await answer(sequence, first.askId, { answer: 'reject', reason: 'not on a Friday' });
    const outcomes: CallOutcome[] = [];
    for (let nth = 1; nth <= 10; nth += 1) {
      outcomes.push(
        await bash(sequence, sequence.sessionId, nth === 2 ? "sh -c 'make deploy'" : 'make deploy', `n${nth}`),
      );
    }
    expect(outcomes[0]?.ruleId).toBe('ask.denied_before');
    expect(outcomes[0]?.reason).toContain('not on a Friday');
    expect(outcomes.every(({ decision }) => decision === 'deny')).toBe(true);
    expect(outcomes[1]?.stop).toBe(true);
    expect(await sequence.events({ session: sequence.sessionId, type: 'AskOpened' })).toHaveLength(1);
  });
});

describe('an agent’s key', () => {
  it('only tightens: silence and fewer tools are its to set, modes of the policy its to choose, and nothing to take back', async () => {
    const sequence = await open('tighten');
    const on = (name: string, body: object) =>
      sequence.agent('POST', `/v1/sessions/${sequence.sessionId}/${name}`, body);
    expect((await on('mode', { mode: 'bypassPermissions' })).status).toBe(403);
    expect((await on('mode', { mode: 'plan' })).status).toBe(200);
    const cycled: unknown[] = [];
    for (let nth = 0; nth < 4; nth += 1) cycled.push((await on('mode/next', {})).body['mode']);
    expect(cycled).toEqual(['default', 'acceptEdits', 'dontAsk', 'plan']);
    expect((await on('rules', { allow: ['Bash(*)'] })).status).toBe(403);
    expect((await on('rules', { deny: ['Bash(echo secret)'] })).status).toBe(200);
    expect((await on('rules', { remove: ['deny:Bash(echo secret)'] })).status).toBe(403);
    expect((await on('reset-breaker', {})).status).toBe(403);
    expect((await on('limits', { tools: ['Bash'] })).body['tools']).toEqual(['Bash']);
    expect((await on('limits', { tools: ['Bash', 'Write'] })).body['tools']).toEqual(['Bash']);
    expect((await on('limits', { silent: true })).body['silent']).toBe(true);
    const { body } = await sequence.agent('GET', `/v1/sessions/${sequence.sessionId}/rules`);
    expect(body['rules']).toMatchObject([{ id: 'deny:Bash(echo secret)', source: 'session', effect: 'deny' }]);
    const changed = await sequence.events({ session: sequence.sessionId, type: 'SessionRulesChanged' });
    expect(changed.map((event) => typeof (event.body as { by?: unknown }).by)).toEqual(['string']);
  });
});
