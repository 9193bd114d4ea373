/** `countersign up` as a user runs it: from the command, with a home of its own, through its doors. Needs a finished build. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Endpoints } from '../home/endpoints.js';

const COMMAND = resolve('apps/cli/bin/countersign.mjs');
const START_MS = 60_000;
const home = mkdtempSync(join(tmpdir(), 'countersign-up-'));
chmodSync(home, 0o711);
const environment = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  COUNTERSIGN_HOME: home,
  GATEWAY_PORT: '0',
  APPROVER_PORT: '0',
};

interface Running {
  readonly process: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

let running: Running | null = null;
afterAll(async () => {
  running?.process.kill('SIGTERM');
  await running?.ended;
  rmSync(home, { recursive: true, force: true });
});

function start(): Running {
  const child = spawn(process.execPath, [COMMAND, 'up'], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const parts: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => parts.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => parts.push(chunk.toString()));
  const ended = new Promise<number | null>((settle) => child.on('close', settle));
  return { process: child, output: () => parts.join(''), ended };
}

async function startAndWait(): Promise<Endpoints> {
  running = start();
  const giveUp = Date.now() + START_MS;
  while (!running.output().includes('Countersign is running')) {
    if (Date.now() > giveUp || running.process.exitCode !== null) throw new Error(`not started:\n${running.output()}`);
    await sleep(50);
  }
  return JSON.parse(readFileSync(join(home, 'endpoints.json'), 'utf8')) as Endpoints;
}

async function stopAndTime(signal: NodeJS.Signals): Promise<{ code: number | null; ms: number }> {
  if (running === null) throw new Error('nothing runs');
  const begun = Date.now();
  running.process.kill(signal);
  const code = await running.ended;
  return { code, ms: Date.now() - begun };
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function runCommand(args: string[], options: { input?: string; env?: Record<string, string> } = {}): Promise<Ended> {
  return new Promise((settle) => {
    const env = { ...environment, ...options.env };
    const child = execFile(process.execPath, [COMMAND, ...args], { env }, (error, stdout, stderr) =>
      settle({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
    child.stdin?.end(options.input ?? '');
  });
}

async function ask(
  url: string,
  key: string,
  body?: unknown,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const call = (toolUseId: string, command: string, wait = 20) => ({
  sessionId: 's1',
  toolUseId,
  tool: 'Bash',
  args: { command },
  cwd: tmpdir(),
  wait,
});

describe('countersign up', () => {
  let endpoints: Endpoints;
  let askedCall = '';

  it('starts on an empty home and keeps its keys to itself', async () => {
    endpoints = await startAndWait();
    expect(statSync(join(home, 'endpoints.json')).mode & 0o077).toBe(0);
    expect(statSync(join(home, 'secrets.json')).mode & 0o077).toBe(0);
    const told = running?.output() ?? '';
    for (const part of [endpoints.gateway, endpoints.console, endpoints.agentKey, 'PreToolUse', '/sign-in']) {
      expect(told).toContain(part);
    }
    expect((await fetch(`${endpoints.gateway}/readyz`)).status).toBe(200);
    expect((await fetch(`${endpoints.console}/readyz`)).status).toBe(200);
  }, 90_000);

  it('allows, denies, and asks people, whose answer decides', async () => {
    const { gateway, agentKey, approverKey } = endpoints;
    const allowed = await ask(`${gateway}/v1/tool-calls`, agentKey, call('t1', 'ls'));
    expect(allowed.body).toMatchObject({ decision: 'allow' });
    const denied = await ask(`${gateway}/v1/tool-calls`, agentKey, call('t2', 'rm -rf /'));
    expect(denied.body).toMatchObject({ decision: 'deny' });
    const pending = await ask(`${gateway}/v1/tool-calls`, agentKey, call('t3', 'git push origin main', 0));
    expect(pending.body).toMatchObject({ decision: 'pending' });
    const askId = String(pending.body['askId']);
    const answered = await ask(`${endpoints.console}/v1/asks/${askId}/answer`, approverKey, { answer: 'approve' });
    expect(answered.status).toBe(200);
    askedCall = String(pending.body['id']);
    const decided = await ask(`${gateway}/v1/tool-calls/${askedCall}`, agentKey);
    expect(decided.body).toMatchObject({ decision: 'allow', approvalStatus: 'approved' });
  }, 60_000);

  it('shows the auditor who allowed it', async () => {
    const events = await ask(`${endpoints.console}/v1/events?session=s1&limit=100`, endpoints.auditorKey);
    const types = (events.body['items'] as { type: string }[]).map((item) => item.type);
    expect(types).toEqual(expect.arrayContaining(['SessionStarted', 'AskOpened', 'AskResolved', 'ToolCallDecided']));
  }, 60_000);

  it('says which key the terminal took where it is refused, and which one is needed', async () => {
    const taken = 'the key was taken from COUNTERSIGN_TOKEN;';
    const needed = `${taken} unset COUNTERSIGN_TOKEN to use the key of this home`;
    const asks = (token: string, words = ['list']) =>
      runCommand(['asks', ...words], { env: { COUNTERSIGN_TOKEN: token } });
    const [wrong, unknown, watching] = await Promise.all([
      asks(endpoints.agentKey),
      asks('cs_approver_nobody'),
      asks(endpoints.agentKey, ['watch']),
    ]);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toBe(
      `countersign: the role of this key does not open this door (auth.wrong_role): ${needed}\n`,
    );
    expect(unknown.stderr).toBe(`countersign: this key is not known or was revoked (auth.unknown_key): ${needed}\n`);
    expect(unknown.code).toBe(2);
    expect(watching).toMatchObject({ code: 2, stderr: expect.stringContaining(needed) });
    // The key of the home opens, and what is not there is no wrong usage.
    expect((await runCommand(['asks', 'list'])).code).toBe(0);
    expect(await runCommand(['asks', 'show', 'nothing'])).toMatchObject({
      code: 1,
      stderr: 'countersign: no such ask (ask.unknown)\n',
    });
    const named = { COUNTERSIGN_CONSOLE_URL: endpoints.console, COUNTERSIGN_TOKEN: endpoints.agentKey };
    expect((await runCommand(['asks', 'list'], { env: named })).stderr).toContain(
      `${taken} set COUNTERSIGN_TOKEN to the key of an approver`,
    );
    const elsewhere = { COUNTERSIGN_CONSOLE_URL: endpoints.gateway, COUNTERSIGN_TOKEN: endpoints.approverKey };
    expect((await runCommand(['asks', 'list'], { env: elsewhere })).code).not.toBe(0);
  }, 60_000);

  it('serves hooks through the command line', async () => {
    const payload = {
      session_id: 'claude-1',
      transcript_path: '/tmp/t.jsonl',
      cwd: tmpdir(),
      permission_mode: 'default',
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'rm -rf /' },
      tool_use_id: 'toolu_1',
    };
    const denied = await runCommand(['hook', 'claude-code'], { input: JSON.stringify(payload) });
    expect(denied).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(denied.stdout)).toMatchObject({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' },
    });
  }, 60_000);

  it('verifies the log through the service', async () => {
    const verified = await runCommand(['audit', 'verify', '--json']);
    expect({ ...verified, report: JSON.parse(verified.stdout) as object }).toMatchObject({
      code: 0,
      report: { problems: [] },
    });
  }, 60_000);

  it('refuses a second one on the same home, in one line', async () => {
    const second = await runCommand(['up']);
    expect(second.code).toBe(1);
    expect(second.stderr.trim()).toMatch(/^countersign: .*already running.*\(process \d+\).*$/);
  }, 60_000);

  it('brings its database back when that is killed', async () => {
    process.kill(Number(readFileSync(join(home, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL');
    const giveUp = Date.now() + START_MS;
    while (!running?.output().includes('the database runs again') && Date.now() < giveUp) await sleep(50);
    const { gateway, agentKey } = endpoints;
    const decided = await ask(`${gateway}/v1/tool-calls`, agentKey, call('after-kill', 'ls'));
    expect(decided.body).toMatchObject({ decision: 'allow' });
  }, 90_000);

  it('stops within five seconds on SIGTERM and leaves a cleanly closed database', async () => {
    const { code, ms } = await stopAndTime('SIGTERM');
    expect(code).toBe(0);
    expect(ms).toBeLessThan(5_000);
    expect(existsSync(join(home, 'postgres/data/postmaster.pid'))).toBe(false);
    expect(existsSync(join(home, 'up.lock'))).toBe(false);
  }, 60_000);

  it('blocks a hooked tool while it is away', async () => {
    const payload = {
      session_id: 'c',
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
    };
    const options = { input: JSON.stringify({ ...payload, cwd: '/tmp', tool_use_id: 't' }) };
    const blocked = await runCommand(['hook', 'claude-code', '--timeout', '2'], options);
    expect(blocked).toMatchObject({ code: 2, stdout: '' });
    expect(blocked.stderr).toContain('does not answer');
  }, 60_000);

  it('starts again with the same keys and data, also after it was killed', async () => {
    const again = await startAndWait();
    expect(again.agentKey).toBe(endpoints.agentKey);
    await stopAndTime('SIGKILL');
    endpoints = await startAndWait();
    expect(endpoints.adminKey).toBe(again.adminKey);
    const decided = await ask(`${endpoints.gateway}/v1/tool-calls/${askedCall}`, endpoints.agentKey);
    expect(decided.body).toMatchObject({ decision: 'allow', approvalStatus: 'approved' });
    expect(await stopAndTime('SIGINT')).toMatchObject({ code: 0 });
    running = null;
  }, 120_000);

  it('says in one line that HOST is none of this machine', async () => {
    const refused = await runCommand(['up'], { env: { HOST: '203.0.113.9' } });
    expect(refused).toMatchObject({
      code: 1,
      stderr: 'countersign: HOST: 203.0.113.9 is not an address of this machine\n',
    });
  }, 60_000);

  it('says in one line that a port is taken', async () => {
    const other = createServer();
    const port = await new Promise<number>((settle) =>
      other.listen(0, '127.0.0.1', () => settle((other.address() as AddressInfo).port)),
    );
    const refused = await runCommand(['up'], { env: { GATEWAY_PORT: String(port) } });
    other.close();
    expect(refused.code).toBe(1);
    expect(refused.stderr.trim()).toBe(
      `countersign: GATEWAY_PORT: 127.0.0.1:${port} is taken by another program: end it or choose another port`,
    );
  }, 60_000);
});
