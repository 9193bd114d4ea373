/** Chains of hooks: order, first block, last rewrite, joined contexts, failures; and HTTP hooks over a real server. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import {
  createHooks,
  HOOK_DEFAULTS,
  loadHooks,
  metricsHook,
  type HookCall,
  type HookNote,
  type HookPlugin,
  type HookTerms,
  type RegisteredHook,
  type SessionMetrics,
} from './index.js';
import { fits } from './matching.js';

const CALL: HookCall = {
  tenantId: 'acme',
  sessionId: 's1',
  parentId: null,
  agent: 'claude-code',
  policy: 'default',
  callId: 'call_1',
  toolUseId: 'toolu_1',
  tool: 'Bash',
  args: { command: 'npm test' },
  cwd: '/work/app',
};
const PLACE = { policy: 'default', tool: 'Bash' };

let names = 0;
function plugin(members: Omit<HookPlugin, 'name'>, terms: Partial<HookTerms> = {}): RegisteredHook {
  const name = terms.name ?? `hook-${(names += 1)}`;
  return { kind: 'plugin', plugin: { name, ...members }, terms: { ...HOOK_DEFAULTS, ...terms, name } };
}
const before = (...hooks: RegisteredHook[]) => createHooks(hooks).before(CALL);
const actions = (said: { results: readonly { action: string }[] }) => said.results.map(({ action }) => action);

describe('the chain before a tool', () => {
  it('A.L3.1 leaves the call alone when every hook continues', async () => {
    const said = await before(plugin({ preToolUse: () => ({ action: 'continue' }) }));
    expect(said).toMatchObject({ updatedArgs: null, additionalContext: null, results: [{ action: 'continue' }] });
  });

  it('A.L3.2 ends at the first block: later hooks do not run', async () => {
    let ran = 0;
    const said = await before(
      plugin({ preToolUse: () => ({ action: 'block', reason: 'no' }) }),
      plugin({ preToolUse: () => ((ran += 1), { action: 'continue' }) }),
      plugin({ permissionRequest: () => ((ran += 1), { action: 'allow' }) }),
    );
    expect(said.results).toEqual([{ on: 'PreToolUse', action: 'block', reason: 'no' }]);
    expect([said.runs.length, ran]).toEqual([1, 0]);
  });

  it('A.L3.7 A.L3.8 keeps the last rewrite, every context, and what came before a continue', async () => {
    const seen: unknown[] = [];
    const said = await before(
      plugin({ preToolUse: () => ({ action: 'mutate', updatedArgs: { command: 'one' }, additionalContext: 'c1' }) }),
      plugin({ preToolUse: ({ args }) => (seen.push(args), { action: 'require_permission', reason: 'write' }) }),
      plugin({ preToolUse: () => ({ action: 'mutate', updatedArgs: { command: 'two' }, additionalContext: 'c2' }) }),
      plugin({ preToolUse: ({ args }) => (seen.push(args), { action: 'continue' }) }),
    );
    expect(said.updatedArgs).toEqual({ command: 'two' });
    expect(said.additionalContext).toBe('c1\nc2');
    expect(actions(said)).toEqual(['mutate', 'require_permission', 'mutate', 'continue']);
    expect(seen).toEqual([{ command: 'one' }, { command: 'two' }]);
    expect(said.runs.map(({ callId, failure }) => [callId, failure])).toEqual(Array(4).fill(['call_1', null]));
  });

  it('C.HOOK.6 records what an observing hook says and goes by none of it', async () => {
    const said = await before(
      plugin({ preToolUse: () => ({ action: 'block', reason: 'I would' }) }, { observe: true }),
    );
    expect(said.results).toEqual([]);
    expect(said.runs).toMatchObject([{ action: 'block', reason: 'I would', observed: true }]);
  });

  it('asks PermissionRequest hooks until the first answer, on the rewritten call', async () => {
    const seen: unknown[] = [];
    const said = await before(
      plugin({ preToolUse: () => ({ action: 'mutate', updatedArgs: { command: 'two' } }) }),
      plugin({ permissionRequest: ({ args }) => (seen.push(args), { action: 'continue' }) }),
      plugin({ permissionRequest: () => ({ action: 'allow', reason: 'known' }) }),
      plugin({ permissionRequest: () => ({ action: 'deny' }) }),
    );
    expect(actions(said)).toEqual(['mutate', 'continue', 'allow']);
    expect(seen).toEqual([{ command: 'two' }]);
  });

  it.each([
    ['ask', 'require_permission'],
    ['deny', 'block'],
    ['continue', 'continue'],
  ] as const)('a hook that fails with onFailure %s means %s, and is recorded', async (onFailure, action) => {
    const throwing = plugin(
      {
        preToolUse: () => {
          throw new Error('secret-4711');
        },
      },
      { onFailure },
    );
    const said = await before(throwing);
    expect(actions(said)).toEqual([action]);
    expect(said.runs).toMatchObject([{ failure: 'error', action }]);
    expect(JSON.stringify(said)).not.toContain('secret-4711');
  });

  it.each([
    undefined,
    null,
    'continue',
    { approve: true },
    { action: 'allow' },
    { action: 'mutate', updatedArgs: [] },
    { action: 'block' },
    { action: 'continue', surprise: 1 },
    { action: 'mutate', updatedArgs: Object.fromEntries([['self', { valueOf: 1 }]]), reason: 5 },
  ])('A46d takes the misshapen answer %j for none: it asks, and is recorded', async (answer) => {
    const said = await before(plugin({ preToolUse: () => answer as never }));
    expect(actions(said)).toEqual(['require_permission']);
    expect(said.runs).toMatchObject([{ failure: 'malformed' }]);
  });

  it('takes an answer that JSON cannot hold for none', async () => {
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    for (const updatedArgs of [loop, { count: 5n }]) {
      const said = await before(plugin({ preToolUse: () => ({ action: 'mutate', updatedArgs }) }));
      expect(said.runs).toMatchObject([{ failure: 'malformed', action: 'require_permission' }]);
      expect(said.updatedArgs).toBeNull();
    }
  });

  it('gives up on a hook that does not answer in time, and tells it so', async () => {
    let told = false;
    const slow = plugin(
      {
        preToolUse: (_call, signal) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => {
              told = true;
              resolve({ action: 'continue' });
            });
          }),
      },
      { timeoutMs: 30 },
    );
    const said = await before(slow);
    expect(said.runs).toMatchObject([{ failure: 'timeout', action: 'require_permission' }]);
    expect(told).toBe(true);
  });

  it('leaves a hook alone that failed five times in a row, and bounds its calls at once', async () => {
    let ran = 0;
    const broken = createHooks([
      plugin({
        preToolUse: () => {
          ran += 1;
          throw new Error('no');
        },
      }),
    ]);
    const failures = [];
    for (let count = 0; count < 7; count += 1) failures.push((await broken.before(CALL)).runs[0]?.failure);
    expect(failures).toEqual([...Array<string>(5).fill('error'), 'circuit_open', 'circuit_open']);
    expect(ran).toBe(5);
    const slow = createHooks([
      plugin({ preToolUse: async () => (await pause(20), { action: 'continue' }) }, { maxInFlight: 2 }),
    ]);
    const runs = await Promise.all(Array.from({ length: 40 }, async () => (await slow.before(CALL)).runs[0]?.failure));
    expect(runs.filter((failure) => failure === 'busy')).toHaveLength(6);
  });

  it('shares nothing: a hook that writes to its context changes nothing', async () => {
    const call = { ...CALL, args: { command: 'ls' } };
    const writer = plugin({
      preToolUse: ({ args }) => {
        (args as Record<string, unknown>)['command'] = 'rm';
        return { action: 'continue' };
      },
    });
    const said = await createHooks([writer]).before(call);
    expect([call.args.command, said.updatedArgs]).toEqual(['ls', null]);
  });

  it('hears only of its own tools and policies', () => {
    const hooks = createHooks([
      plugin({ preToolUse: () => ({ action: 'continue' }) }, { tools: ['mcp__*', 'Bash'], policies: ['prod*'] }),
    ]);
    const hears = (policy: string, tool: string) => hooks.hear('PreToolUse', { policy, tool });
    expect([hears('prod', 'Bash'), hears('prod-eu', 'mcp__x__y'), hears('prod', 'Read'), hears('dev', 'Bash')]).toEqual(
      [true, true, false, false],
    );
    expect(hooks.hear('PostToolUse', { policy: 'prod', tool: 'Bash' })).toBe(false);
    expect([
      fits('a*b*c', 'a_b_c'),
      fits('a*b*c', 'abc'),
      fits('a*bb*c', 'abc'),
      fits('*', ''),
      fits('ab*ba', 'aba'),
    ]).toEqual([true, true, false, true, false]);
  });
});

describe('the chain after a tool', () => {
  const result = { ...CALL, status: 'succeeded', output: 'token SECRET', error: null, elapsedMs: 3 } as const;

  it('A.L3.5 A.L3.6 hands the output from hook to hook', async () => {
    const hooks = createHooks([
      plugin({
        postToolUse: ({ output }) => ({
          action: 'mutate_output',
          updatedOutput: (output ?? '').replace('SECRET', '…'),
        }),
      }),
      plugin({ postToolUse: () => ({ action: 'continue' }) }),
      plugin({ postToolUse: ({ output }) => ({ action: 'mutate_output', updatedOutput: `${output ?? ''}!` }) }),
    ]);
    const said = await hooks.after(result);
    expect(said.output).toBe('token …!');
    expect(said.runs.map(({ action }) => action)).toEqual(['mutate_output', 'continue', 'mutate_output']);
    expect((await hooks.after({ ...result, output: null })).output).toBeNull();
  });

  it('withholds the output when a hook that must not be skipped fails', async () => {
    const failing = (terms: Partial<HookTerms>) =>
      createHooks([
        plugin({ postToolUse: () => ({ action: 'nonsense' }) as never }, { name: 'scrub', ...terms }),
      ]).after(result);
    expect((await failing({})).output).toBe('[withheld: the output hook `scrub` failed]');
    expect((await failing({ onFailure: 'continue' })).output).toBe('token SECRET');
    expect((await failing({ observe: true })).output).toBe('token SECRET');
  });
});

describe('observing hooks', () => {
  const note: HookNote = { tenantId: 'acme', sessionId: 's1', parentId: null, callId: null, time: 'now', detail: {} };

  it('A.L3.10 has a member for each moment of the life of a session', async () => {
    const heard: string[] = [];
    const hook = plugin({
      onSessionStart: () => void heard.push('start'),
      onStepComplete: () => void heard.push('step'),
      onSessionStop: () => void heard.push('stop'),
      onSubagentStart: () => void heard.push('sub start'),
      onSubagentStop: () => void heard.push('sub stop'),
      onPreCompact: () => void heard.push('pre compact'),
      onPostCompact: () => void heard.push('post compact'),
      onUserPromptSubmit: () => void heard.push('prompt'),
      onPermissionDecision: () => {
        throw new Error('no');
      },
    });
    const hooks = createHooks([hook]);
    const moments = ['SessionStart', 'StepComplete', 'SessionStop', 'SubagentStart', 'SubagentStop'] as const;
    const others = ['PreCompact', 'PostCompact', 'UserPromptSubmit', 'PermissionDecision'] as const;
    const runs = [];
    const [observer = ''] = hooks.observers;
    for (const moment of [...moments, ...others]) runs.push(await hooks.tell(observer, { moment, note, place: PLACE }));
    expect(heard).toEqual(['start', 'step', 'stop', 'sub start', 'sub stop', 'pre compact', 'post compact', 'prompt']);
    expect(runs.map((run) => run?.failure)).toEqual([...Array<null>(8).fill(null), 'error']);
  });

  it('A.L3.12 the metrics hook writes every third step and how the session ended', async () => {
    const counts: SessionMetrics = { calls: 4, allowed: 3, denied: 1, results: 3, errors: 1, toolMs: 12 };
    const lines: [string, Readonly<Record<string, unknown>>][] = [];
    const made = metricsHook('metrics', {
      log: (line, fields) => lines.push([line, fields]),
      snapshot: async () => counts,
    });
    const hooks = createHooks([plugin(made)]);
    const [observer = ''] = hooks.observers;
    const tell = (moment: 'StepComplete' | 'SessionStop', detail: HookNote['detail']) =>
      hooks.tell(observer, { moment, note: { ...note, detail }, place: PLACE });
    for (const step of [1, 2, 3, 4, 5, 6]) await tell('StepComplete', { step });
    await tell('SessionStop', { reason: 'done' });
    expect(lines.map(([line, fields]) => [line, fields['step'] ?? fields['reason'], fields['calls']])).toEqual([
      ['session goes on', 3, 4],
      ['session goes on', 6, 4],
      ['session ended', 'done', 4],
    ]);
  });
});

describe('HTTP hooks', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  type Handler = (request: IncomingMessage, body: string, response: ServerResponse) => void;
  let handler: Handler;
  let server: Server;
  let url: string;
  let requests = 0;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        requests += 1;
        handler(request, Buffer.concat(parts).toString('utf8'), response);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  });
  afterEach(() => {
    requests = 0;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const http = (
    more: Partial<HookTerms> = {},
    target: { url?: string; allowPrivate?: boolean } = {},
  ): RegisteredHook => ({
    kind: 'http',
    terms: { ...HOOK_DEFAULTS, ...more, name: more.name ?? 'remote' },
    http: { url, secret, allowPrivate: true, on: ['PreToolUse', 'SessionStop'], ...target },
  });
  const reply =
    (status: number, body: unknown): Handler =>
    (_request, _body, response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    };

  it('are signed by Standard Webhooks and say what the call is', async () => {
    let verified: unknown;
    handler = (request, body, response) => {
      verified = new Webhook(secret).verify(body, request.headers as Record<string, string>);
      reply(200, { action: 'block', reason: 'not on Fridays' })(request, body, response);
    };
    const said = await before(http());
    expect(verified).toEqual({ type: 'hook.PreToolUse', hook: 'remote', data: JSON.parse(JSON.stringify(CALL)) });
    expect(said.results).toEqual([{ on: 'PreToolUse', action: 'block', reason: 'not on Fridays' }]);
    expect(() => new Webhook(`whsec_${Buffer.alloc(32, 8).toString('base64')}`).verify('{}', {})).toThrow();
  });

  it.each([
    [204, '', 'continue', null, 1],
    [200, 'not JSON', 'require_permission', 'malformed', 1],
    [200, '{"action":"allow"}', 'require_permission', 'malformed', 1],
    [200, '{"action":"block","action":"continue"}', 'require_permission', 'malformed', 1],
    [400, '{}', 'require_permission', 'refused', 1],
    [302, '{}', 'require_permission', 'refused', 1],
    [500, '{}', 'require_permission', 'unreachable', 2],
  ] as const)('status %d with `%s` means %s (%s)', async (...[status, body, action, failure, sent]) => {
    handler = reply(status, body);
    const said = await before(http());
    expect([actions(said)[0], said.runs[0]?.failure, requests]).toEqual([action, failure, sent]);
  });

  it('that only observe may answer anything', async () => {
    handler = reply(200, 'ok');
    const hooks = createHooks([http({ name: 'watcher' })]);
    const note: HookNote = { tenantId: 'a', sessionId: 's', parentId: null, callId: null, time: 'now', detail: {} };
    expect(hooks.observers).toEqual(['watcher']);
    const told = await hooks.tell('watcher', { moment: 'SessionStop', note, place: PLACE });
    expect(told).toMatchObject({ hook: 'watcher', failure: null });
    expect(await hooks.tell('watcher', { moment: 'SessionStart', note, place: PLACE })).toBeNull();
    expect(await hooks.tell('another', { moment: 'SessionStop', note, place: PLACE })).toBeNull();
  });

  it('say in words what was wrong with an answer', async () => {
    const reason = async (body: unknown) => {
      handler = reply(200, body);
      return (await before(http())).runs[0]?.reason;
    };
    expect(await reason({ action: 'block', reason: 4 })).toBe('its answer is none that PreToolUse knows, at `reason`');
    expect(await reason([])).toBe('its answer is none that PreToolUse knows');
    expect(await reason('x'.repeat(5 * 1024 * 1024))).toBe('its answer is larger than 4194304 bytes');
  });

  it('are tried again when they cannot be reached, until the budget for retries is used up', async () => {
    handler = (_request, _body, response) => {
      if (requests % 2 === 1) response.destroy();
      else reply(200, { action: 'continue' })(_request, _body, response);
    };
    const hooks = createHooks([http()]);
    const failures = [];
    for (let count = 0; count < 12; count += 1) failures.push((await hooks.before(CALL)).runs[0]?.failure);
    expect(failures.slice(0, 10)).toEqual(Array(10).fill(null));
    expect(failures.slice(10)).toContain('unreachable');
  });

  it('are refused on private networks, whatever their name, unless the file allows it', async () => {
    handler = reply(200, { action: 'continue' });
    const closed = url.replace('http:', 'https:');
    for (const target of [closed, closed.replace('127.0.0.1', 'localhost'), closed.replace('127.0.0.1', '[::1]')]) {
      const said = await before(http({}, { url: target, allowPrivate: false }));
      expect(said.runs).toMatchObject([{ failure: 'refused', action: 'require_permission' }]);
    }
    const plain = await before(http({}, { allowPrivate: false }));
    expect(plain.runs).toMatchObject([{ failure: 'refused' }]);
    expect(requests).toBe(0);
  });

  it('end with the time of their hook although the service holds the line', async () => {
    handler = () => undefined;
    const said = await before(http({ timeoutMs: 50 }));
    expect(said.runs).toMatchObject([{ failure: 'timeout' }]);
  });
});

describe('the hook file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-hooks-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const surroundings = { log: () => undefined, snapshot: () => Promise.reject(new Error('not asked')) };
  const load = async (text: string) => {
    const path = join(folder, 'hooks.yaml');
    await writeFile(path, text);
    const loaded = await loadHooks(path, surroundings);
    return loaded.ok ? loaded.hooks : loaded.problems.map((problem) => problem.replaceAll(folder, ''));
  };

  it('may be missing or empty', async () => {
    expect(await loadHooks(join(folder, 'none.yaml'), surroundings)).toEqual({ ok: true, hooks: [] });
    expect(await load('')).toEqual([]);
    expect(await load('hooks: []')).toEqual([]);
  });

  it('must be there, and be a file, when somebody named it', async () => {
    const named = async (path: string) => {
      const loaded = await loadHooks(path, surroundings, { named: true });
      return loaded.ok ? loaded.hooks : loaded.problems;
    };
    const missing = join(folder, 'none.yaml');
    expect(await named(missing)).toEqual([`${missing}: there is no such file`]);
    expect(await named(folder)).toEqual([`${folder}: this is a folder, not a file`]);
  });

  it.each(['just words', '- a\n- b', '42', 'preset: standard\nallow: [Bash]'])('is no other file: %s', async (text) => {
    const [problem] = (await load(text)) as string[];
    expect(problem).toMatch(/^\/hooks.yaml: is no hook file: it must hold `hooks:` and a list below it/);
  });

  it('names plug-ins, built-ins and HTTP hooks, in the order in which they run', async () => {
    await writeFile(
      join(folder, 'guard.mjs'),
      "export const guard = { preToolUse: () => ({ action: 'block', reason: 'x' }) };",
    );
    await writeFile(join(folder, 'secret'), `whsec_${Buffer.alloc(24, 1).toString('base64')}\n`);
    const hooks = await load(`hooks:
  - { name: guard, module: ./guard.mjs, export: guard, tools: ['Bash'], onFailure: deny }
  - { name: metrics, builtin: metrics }
  - name: remote
    http: { url: 'https://hooks.example.com/x', secretFile: secret, on: [PreToolUse, SessionStop] }
`);
    expect(hooks).toMatchObject([
      { kind: 'plugin', terms: { name: 'guard', tools: ['Bash'], onFailure: 'deny', timeoutMs: 2_000 } },
      { kind: 'plugin', terms: { name: 'metrics' } },
      { kind: 'http', http: { allowPrivate: false, secret: expect.stringMatching(/^whsec_/) } },
    ]);
    const said = await createHooks(hooks as RegisteredHook[]).before(CALL);
    expect(said.results[0]).toEqual({ on: 'PreToolUse', action: 'block', reason: 'x' });
  });

  it.each([
    ['hooks: [', 'hooks.yaml: '],
    ['hooks: [{ name: a }]', 'hooks.yaml: hooks.0.module: '],
    ['hooks: [{ name: "a b", builtin: metrics }]', 'hooks.yaml: hooks.0.name: must be letters'],
    ['hooks: [{ name: a, builtin: metrics }, { name: a, builtin: metrics }]', 'the name `a` is used twice'],
    ['hooks: [{ name: a, builtin: other }]', 'hooks.yaml: hooks.0.builtin: '],
    ['hooks: [{ name: a, module: ./none.mjs }]', 'hooks.0 (`a`) cannot load /none.mjs'],
    ['hooks: [{ name: a, module: ./guard.mjs, export: other }]', 'finds no export `other`'],
    ['hooks: [{ name: a, module: ./bad.mjs }]', 'has the unknown member `preTooluse`'],
    [
      'hooks: [{ name: a, http: { url: "https://x.example", on: [PreToolUse] } }]',
      'needs either `secret` or `secretFile`',
    ],
    [
      'hooks: [{ name: a, http: { url: "https://x.example", secret: whsec_x, on: [PreToolUse] } }]',
      'hooks.0.http.secret: must be `whsec_`',
    ],
    ['hooks: [{ name: a, http: { url: "http://x.example", secretFile: secret, on: [PreToolUse] } }]', 'must use https'],
    [
      'hooks: [{ name: a, http: { url: "https://x.example", secretFile: none, on: [PreToolUse] } }]',
      'has no usable secret',
    ],
    ['hooks: [{ name: a, builtin: metrics, onFailure: allow }]', 'hooks.0.onFailure'],
  ])('says what is wrong with %s', async (text, problem) => {
    await writeFile(join(folder, 'bad.mjs'), 'export default { preTooluse() {} };');
    const problems = await load(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });
});
