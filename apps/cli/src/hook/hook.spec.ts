/** The hook command against a service that answers, hangs up, answers badly or is away: no call runs unjudged. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, describe, expect, it } from '@jest/globals';
import { readCliEnv, type CliEnv } from '../env.js';
import { runHook, type HookOptions } from './hook.js';

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;
const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

async function serve(handler: Handler): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => handler(request, response, Buffer.concat(chunks).toString('utf8')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function envFor(url: string): CliEnv {
  const settings = readCliEnv({
    COUNTERSIGN_HOME: '/nonexistent',
    COUNTERSIGN_URL: url,
    COUNTERSIGN_TOKEN: 'cs_agent_x',
  });
  if (!settings.ok) throw new Error(settings.problems.join());
  return settings.env;
}

async function hook(url: string, input: string, options: Partial<HookOptions> = {}) {
  const output = new PassThrough();
  const complaints = new PassThrough();
  const streams = { input: Readable.from([Buffer.from(input)]), output, complaints };
  const all: HookOptions = { agent: 'claude-code', onFailure: 'block', timeoutSeconds: 20, ...options };
  const exitCode = await runHook(envFor(url), all, streams);
  const text = (stream: PassThrough) => ((stream.read() as Buffer | null) ?? '').toString();
  return { exitCode, output: text(output), complaint: text(complaints) };
}

const payload = (event: string, more: object = {}) =>
  JSON.stringify({
    session_id: 's1',
    transcript_path: '/tmp/t.jsonl',
    cwd: '/tmp',
    permission_mode: 'default',
    hook_event_name: event,
    tool_name: 'Write',
    tool_input: { file_path: '/tmp/no-such-folder/new.txt', content: 'x' },
    ...(event === 'PermissionRequest' ? {} : { tool_use_id: 'toolu_1' }),
    ...more,
  });
const away = 'http://127.0.0.1:9';
const allow = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}';

describe('countersign hook', () => {
  it('sends the body with this machine’s evidence and prints the reply as it came', async () => {
    const seen: { url: string | undefined; auth: string | undefined; body: string }[] = [];
    const url = await serve((request, response, body) => {
      seen.push({ url: request.url, auth: request.headers.authorization, body });
      response.end(allow);
    });
    const big = payload('PreToolUse').replace('"x"', '12345678901234567890');
    expect(await hook(url, big)).toEqual({ exitCode: 0, output: `${allow}\n`, complaint: '' });
    expect(seen[0]).toMatchObject({ url: '/hooks/claude-code', auth: 'Bearer cs_agent_x' });
    expect(seen[0]?.body).toContain('12345678901234567890');
    const { countersign } = JSON.parse(seen[0]?.body ?? '') as { countersign: { resolvedPaths: object; home: string } };
    expect(countersign.resolvedPaths).toMatchObject({
      '/tmp/no-such-folder/new.txt': { real: '/tmp/no-such-folder/new.txt', exists: false },
    });
  });

  it('takes the wait up again when the connection breaks', async () => {
    let tries = 0;
    const url = await serve((request, response) => {
      tries += 1;
      if (tries === 1) setTimeout(() => request.socket.destroy(), 100);
      else response.end(allow);
    });
    expect(await hook(url, payload('PreToolUse'))).toMatchObject({ exitCode: 0, output: `${allow}\n` });
    expect(tries).toBe(2);
  });

  it('blocks a tool with exit code 2 and the reason when the service is away', async () => {
    const result = await hook(away, payload('PreToolUse'), { timeoutSeconds: 0.5 });
    expect(result).toMatchObject({ exitCode: 2, output: '' });
    expect(result.complaint).toMatch(
      /^countersign: blocked, since nobody could judge it: http:\/\/127\.0\.0\.1:9 does not answer/,
    );
  });

  it('blocks when the answer does not come in time', async () => {
    const url = await serve(() => undefined);
    const result = await hook(url, payload('PreToolUse'), { timeoutSeconds: 0.3 });
    expect(result).toMatchObject({
      exitCode: 2,
      complaint: expect.stringContaining('no answer came before the deadline'),
    });
  });

  it('with --on-failure ask still blocks a call that the service holds for people', async () => {
    const url = await serve(() => undefined);
    const result = await hook(url, payload('PreToolUse'), { timeoutSeconds: 0.3, onFailure: 'ask' });
    expect(result).toMatchObject({ exitCode: 2, output: '' });
    expect(result.complaint).toMatch(/^countersign: pending: .*retry the same call after approval/);
    const permission = await hook(url, payload('PermissionRequest'), { timeoutSeconds: 0.3, onFailure: 'ask' });
    expect(JSON.parse(permission.output)).toMatchObject({ hookSpecificOutput: { decision: { behavior: 'deny' } } });
  });

  it.each([
    ['an error status', (response: ServerResponse) => void response.writeHead(500).end(allow)],
    ['an answer that is no JSON', (response: ServerResponse) => void response.end('<html>')],
    ['an answer that is no object', (response: ServerResponse) => void response.end('[]')],
    ['an empty answer', (response: ServerResponse) => void response.end()],
  ])('blocks on %s', async (_name, answer) => {
    const url = await serve((_request, response) => answer(response));
    expect(await hook(url, payload('PreToolUse'))).toMatchObject({ exitCode: 2, output: '' });
  });

  it('refuses a permission request in JSON, since that event ignores exit code 2', async () => {
    const result = await hook(away, payload('PermissionRequest'), { timeoutSeconds: 0.5 });
    expect(result.exitCode).toBe(0);
    expect(JSON.parse(result.output)).toMatchObject({ hookSpecificOutput: { decision: { behavior: 'deny' } } });
  });

  it('with --on-failure ask leaves the question to the agent’s own prompt, and says so', async () => {
    const result = await hook(away, payload('PreToolUse'), { timeoutSeconds: 0.5, onFailure: 'ask' });
    expect(result).toMatchObject({ exitCode: 0, complaint: expect.stringContaining('your own prompt decides') });
    expect(JSON.parse(result.output)).toMatchObject({ hookSpecificOutput: { permissionDecision: 'ask' } });
  });

  it('never blocks an event that gates no tool', async () => {
    const result = await hook(away, payload('PostToolUse', { tool_response: 'ok' }), { timeoutSeconds: 0.5 });
    expect(result).toMatchObject({ exitCode: 0, output: '', complaint: expect.stringContaining('not reported') });
  });

  it.each(['', '{', 'null', '[1]', '"x"'])('blocks on unreadable input %j', async (input) => {
    expect(await hook(away, input)).toMatchObject({
      exitCode: 2,
      output: '',
      complaint: expect.stringMatching(/not judged/),
    });
  });

  it('blocks when no service is known', async () => {
    const settings = readCliEnv({ COUNTERSIGN_HOME: '/nonexistent' });
    if (!settings.ok) throw new Error('settings');
    const complaints = new PassThrough();
    const streams = { input: Readable.from([payload('PreToolUse')]), output: new PassThrough(), complaints };
    const options = { agent: 'claude-code', onFailure: 'block', timeoutSeconds: 1 } as const;
    expect(await runHook(settings.env, options, streams)).toBe(2);
    expect(String(complaints.read())).toContain('no service is known');
  });
});
