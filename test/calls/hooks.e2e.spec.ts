import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, openHouse, TENANT, type House } from './house.js';

const POLICY = {
  deny: ['Bash(git push *)'],
  ask: ['Bash(make *)'],
  allow: ['Bash(echo *)'],
  holdSeconds: 30,
};

let house: House;
beforeAll(async () => {
  house = await openHouse({ policy: POLICY });
}, 90_000);
afterAll(() => house?.close(), 30_000);

type Reply = Record<string, unknown> & {
  hookSpecificOutput?: {
    permissionDecision?: string;
    permissionDecisionReason?: string;
    decision?: { behavior: string; message?: string };
  };
};

async function hook(body: unknown, key = house.agentKey): Promise<Reply> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${house.url}/hooks/claude-code`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: text,
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Reply;
}

const event = (name: string, more: object = {}) => ({
  session_id: 'cc',
  transcript_path: '/home/mira/t.jsonl',
  cwd: '/srv/app',
  permission_mode: 'default',
  hook_event_name: name,
  ...more,
});
const pre = (command: string, more: object = {}) =>
  event('PreToolUse', { tool_name: 'Bash', tool_input: { command }, tool_use_id: `toolu_${randomUUID()}`, ...more });
const verdict = (reply: Reply) => reply.hookSpecificOutput?.permissionDecision;
const askOf = (session: string) =>
  eventually(
    async () => (await house.ledger.asks.list({ tenantId: TENANT, sessionId: session, status: 'open' })).items[0],
  );
const eventsOf = async (session: string) =>
  (await house.ledger.events.list(TENANT, { session, limit: 500 })).items.map((item) => item.type);

describe('a gating hook', () => {
  it('is answered allow or deny in the form of Claude Code', async () => {
    expect(verdict(await hook(pre('echo hi')))).toBe('allow');
    const denied = await hook(pre('git push origin'));
    expect(verdict(denied)).toBe('deny');
    expect(denied.hookSpecificOutput?.permissionDecisionReason).not.toBe('');
  });

  it('is held, and an approval wakes it at once', async () => {
    const held = hook(pre('make it', { session_id: 'held' }));
    const ask = await askOf('held');
    const started = Date.now();
    await house.answer('held', ask.id, 'approve');
    expect(verdict(await held)).toBe('allow');
    expect(Date.now() - started).toBeLessThan(2_000);
  });

  it('is let go as pending, and the retry runs once after the approval', async () => {
    await house.publish('brief', { ...POLICY, holdSeconds: 1 });
    const key = await house.makeKey({ policy: 'brief' });
    const session = { session_id: 'parked' };
    const first = await hook(pre('make it', session), key);
    expect(verdict(first)).toBe('deny');
    const ask = await askOf('parked');
    expect(first.hookSpecificOutput?.permissionDecisionReason).toContain(ask.id);
    const joined = await hook(pre('make it', session), key);
    expect(joined.hookSpecificOutput?.permissionDecisionReason).toContain(ask.id);
    await house.answer('parked', ask.id, 'approve');
    expect(verdict(await hook(pre('make it', session), key))).toBe('allow');
    expect(verdict(await hook(pre('make it', session), key))).toBe('deny');
    expect(await eventsOf('parked')).toContain('GrantConsumed');
  }, 20_000);

  it('of the kind PermissionRequest joins the call that it is about', async () => {
    const session = { session_id: 'prompted' };
    const held = hook(pre('make it', session));
    const ask = await askOf('prompted');
    const prompt = hook(
      event('PermissionRequest', { ...session, tool_name: 'Bash', tool_input: { command: 'make it' } }),
    );
    await house.answer('prompted', ask.id, 'approve');
    expect(verdict(await held)).toBe('allow');
    expect((await prompt).hookSpecificOutput?.decision?.behavior).toBe('allow');
    const asks = await house.ledger.asks.list({ tenantId: TENANT, sessionId: 'prompted' });
    expect(asks.items).toHaveLength(1);
  });

  it('of a subagent opens a child session', async () => {
    const session = { session_id: 'boss', agent_id: 'a1', agent_type: 'tester' };
    expect(verdict(await hook(pre('echo hi', session)))).toBe('allow');
    const child = await house.ledger.sessions.get(TENANT, 'boss/a1');
    expect(child).toMatchObject({ parentId: 'boss', rootId: 'boss' });
  });

  it('is handed to the own prompt where the policy says so, and the result answers it', async () => {
    await house.publish('own-prompt', { ...POLICY, passAsk: true });
    const key = await house.makeKey({ policy: 'own-prompt' });
    const call = pre('make it', { session_id: 'passes' });
    expect(verdict(await hook(call, key))).toBe('ask');
    await hook({ ...call, hook_event_name: 'PostToolUse', tool_response: { stdout: 'ok' } }, key);
    const asks = await house.ledger.asks.list({ tenantId: TENANT, sessionId: 'passes' });
    expect(asks.items[0]).toMatchObject({ status: 'approved', resolvedVia: 'agent' });
  });
});

describe('an approval that came after the hook was let go', () => {
  it('serves exactly one of many retries', async () => {
    await house.publish('retries', { ...POLICY, holdSeconds: 1 });
    const key = await house.makeKey({ policy: 'retries' });
    const session = { session_id: 'retries' };
    await hook(pre('make it', session), key);
    const ask = await askOf('retries');
    await house.answer('retries', ask.id, 'approve');
    const retries = await Promise.all(Array.from({ length: 6 }, () => hook(pre('make it', session), key)));
    expect(retries.map(verdict).filter((effect) => effect === 'allow')).toHaveLength(1);
  }, 20_000);
});

describe('the recorded payloads of Claude Code', () => {
  const folder = path.join(import.meta.dirname, '../data/payloads');
  const names = readdirSync(folder).filter((name) => /^(0\d|1[0-8])-claude/.test(name));

  it.each(names)('%s is answered in its own form', async (name) => {
    await house.publish('seen', { ...POLICY, holdSeconds: 1 });
    const key = await house.makeKey({ policy: 'seen' });
    const payload = JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as {
      hook_event_name: string;
      tool_name?: string;
    };
    const reply = await hook({ ...payload, session_id: name }, key);
    const said = reply.hookSpecificOutput;
    // An allowed dialog with the user is left to the user.
    const isDialog = payload.tool_name === 'AskUserQuestion' || payload.tool_name === 'ExitPlanMode';
    if (payload.hook_event_name === 'PreToolUse' && !isDialog) {
      expect(said).toMatchObject({
        hookEventName: 'PreToolUse',
        permissionDecision: expect.stringMatching(/^(allow|deny)$/),
      });
    } else if (payload.hook_event_name === 'PermissionRequest') {
      expect(said?.decision?.behavior).toMatch(/^(allow|deny)$/);
    } else {
      expect(reply).toEqual({});
    }
  });
});

describe('a hook that cannot be judged', () => {
  it('is refused with 200 for a wrong key, whichever gate it is', async () => {
    expect(verdict(await hook(pre('echo hi'), 'cs_agent_wrong'))).toBe('deny');
    const prompt = await hook(
      event('PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'echo hi' } }),
      'cs_agent_wrong',
    );
    expect(prompt.hookSpecificOutput?.decision?.behavior).toBe('deny');
    expect(verdict(await hook(pre('echo hi'), await house.makeKey({ role: 'auditor' })))).toBe('deny');
    expect(await hook(event('Notification', { message: 'x' }), 'cs_agent_wrong')).toEqual({});
  });

  it.each(['', '{', 'null', '[]', '"PreToolUse"', '{"session_id":"x"}', '\u0000'])(
    'is refused for the body %j',
    async (text) => {
      const reply = await hook(text);
      expect(reply['decision']).toBe('block');
      expect(reply['reason']).not.toBe('');
    },
  );

  it.each([
    ['args that are an array', { tool_input: ['echo hi'] }],
    ['args that are text', { tool_input: 'echo hi' }],
    ['no args', { tool_input: undefined }],
  ])('is a recorded deny for %s', async (_name, more) => {
    const reply = await hook(pre('', more));
    expect(verdict(reply)).toBe('deny');
  });

  it('is refused when it names its tool twice', async () => {
    const text = JSON.stringify(pre('echo hi')).replace('"tool_name":"Bash"', '"tool_name":"Bash","tool_name":"Bash"');
    expect(verdict(await hook(text))).toBe('deny');
  });

  it('is refused when it is larger than 32 MB, although the client still sends', async () => {
    const text = JSON.stringify(pre('echo ' + 'x'.repeat(33 * 1024 * 1024)));
    expect((await hook(text))['decision']).toBe('block');
    const large = JSON.stringify(pre('echo ' + 'x'.repeat(10 * 1024 * 1024)));
    expect(verdict(await hook(large))).toBe('deny');
  }, 30_000);

  it('is refused for an agent that is not known', async () => {
    const response = await fetch(`${house.url}/hooks/nobody`, { method: 'POST', body: JSON.stringify(pre('echo hi')) });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ decision: 'block' });
  });

  it('is refused under a foreign Host, still with 200', async () => {
    const reply = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const headers = { host: 'evil.test', authorization: `Bearer ${house.agentKey}` };
      const client = request(`${house.url}/hooks/claude-code`, { method: 'POST', headers }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode, text }));
      });
      client.on('error', reject);
      client.end(JSON.stringify(pre('echo hi')));
    });
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.text)).toMatchObject({ decision: 'block' });
  });

  it('is read whatever content type it has', async () => {
    const response = await fetch(`${house.url}/hooks/claude-code`, {
      method: 'POST',
      headers: { authorization: `Bearer ${house.agentKey}`, 'content-type': 'text/plain' },
      body: JSON.stringify(pre('echo hi', { session_id: 'plain' })),
    });
    expect(verdict((await response.json()) as Reply)).toBe('allow');
  });
});

describe('other hooks', () => {
  it('are answered with no opinion and recorded', async () => {
    const session = { session_id: 'life' };
    expect(await hook(event('SessionStart', { ...session, source: 'startup' }))).toEqual({});
    expect(await hook(event('SomethingNew', { ...session, reason: 'why not' }))).toEqual({});
    const call = pre('echo hi', session);
    await hook(call);
    expect(await hook({ ...call, hook_event_name: 'PostToolUse', tool_response: { stdout: 'hi' } })).toEqual({});
    expect(await hook(event('SessionEnd', { ...session, reason: 'logout' }))).toEqual({});
    const types = await eventsOf('life');
    expect(types).toEqual(
      expect.arrayContaining([
        'SessionStarted',
        'AgentReported',
        'ToolCallDecided',
        'ToolResultReported',
        'SessionStopped',
      ]),
    );
  });

  it('never touch the session of another key', async () => {
    await hook(pre('echo hi', { session_id: 'mine-only' }));
    const before = (await eventsOf('mine-only')).length;
    await hook(event('SessionEnd', { session_id: 'mine-only', reason: 'logout' }), await house.makeKey());
    expect((await eventsOf('mine-only')).length).toBe(before);
  });
});

describe('an agent that gives up', () => {
  it('leaves the ask parked, so that an approval still serves its retry', async () => {
    const session = { session_id: 'gone' };
    const text = JSON.stringify(pre('make it', session));
    const client = request(`${house.url}/hooks/claude-code`, {
      method: 'POST',
      headers: { authorization: `Bearer ${house.agentKey}`, 'content-type': 'application/json' },
    });
    client.on('error', () => undefined);
    client.end(text);
    const ask = await askOf('gone');
    client.destroy();
    await eventually(async () => (await eventsOf('gone')).includes('AskParked'));
    await house.answer('gone', ask.id, 'approve');
    expect(verdict(await hook(pre('make it', session)))).toBe('allow');
  });
});
