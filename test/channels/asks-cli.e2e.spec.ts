/** A running house with a channel of its file, and `countersign asks` against it, as a person types it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { AskView } from '@countersign/contracts';
import { startWebhookReceiver, type WebhookReceiver } from '@countersign/testing';
import { askOf, eventsOf, eventually, send } from '../system/doors.js';
import { OwnHouse } from '../system/own-house.js';
import { CLEAN_ENVIRONMENT, startProgram, type Program } from '../system/processes.js';

jest.setTimeout(180_000);
const COMMAND = resolve('apps/cli/bin/countersign.mjs');

let house: OwnHouse;
let relay: WebhookReceiver;
const folder = mkdtempSync(join(tmpdir(), 'countersign-channels-'));
const file = join(folder, 'channels.yaml');
beforeAll(async () => {
  relay = await startWebhookReceiver();
  writeFileSync(
    file,
    `webhook:\n  - {name: relay, url: "${relay.url}/relay", secrets: ["env:RELAY_SECRET"], allowPrivate: true}\n`,
  );
  house = await OwnHouse.open(undefined, { COUNTERSIGN_CHANNELS_FILE: file, RELAY_SECRET: relay.secret });
}, 180_000);
afterAll(async () => {
  await house?.close();
  await relay.close();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

const start = (args: readonly string[], more: Record<string, string> = {}): Program =>
  startProgram([COMMAND, 'asks', ...args], { env: { ...CLEAN_ENVIRONMENT, COUNTERSIGN_HOME: house.home, ...more } });

async function run(args: readonly string[], more: Record<string, string> = {}) {
  const program = start(args, more);
  const code = await program.ended;
  return { code, output: program.output() };
}

async function ask(sessionId: string, command: string): Promise<AskView> {
  const body = { sessionId, toolUseId: `${sessionId}-1`, tool: 'Bash', args: { command }, cwd: '/tmp', wait: 0 };
  await send(`${house.endpoints.gateway}/v1/tool-calls`, { key: house.endpoints.agentKey, body });
  return askOf(house.approver, sessionId);
}

describe('channels.yaml', () => {
  it('sets up a channel of the running house, and its secret stands in no log', async () => {
    const open = await ask('relayed', 'make it');
    const { data } = await eventually(async () => relay.received.find((one) => one.data.askId === open.id));
    expect(data).toMatchObject({ tool: 'Bash', approvable: true });
    expect(readFileSync(join(house.home, 'countersign.log'), 'utf8')).not.toContain(relay.secret);
  });

  it('stops the start with one line for each problem', async () => {
    const bad = join(folder, 'bad.yaml');
    writeFileSync(bad, 'slack:\n  - {botToken: env:NO_SUCH, channel: C1}\n');
    const started = OwnHouse.open(undefined, { COUNTERSIGN_CHANNELS_FILE: bad });
    await expect(started).rejects.toThrow(/slack\.0\.botToken: the variable NO_SUCH is not set/);
  });
});

describe('countersign asks', () => {
  it('lists, shows and answers, and the log says that it was the terminal', async () => {
    const open = await ask('listed', 'make it \u001b[2K\u202e');
    const list = await run(['list']);
    expect(list.code).toBe(0);
    expect(list.output).toContain(`${open.id}  [`);
    expect(list.output).toContain('make it \\u{1b}[2K\\u{202e}');
    expect(JSON.parse((await run(['list', '--json'])).output.trim().split('\n').at(-1) ?? '')).toMatchObject({
      id: open.id,
    });
    expect((await run(['show', open.id])).output).toContain('arguments hash: ');
    const answered = await run(['approve', open.id, '--reason', 'looks fine']);
    expect(answered.code).toBe(0);
    expect(answered.output).toMatch(/approved by \S+ via cli at/);
    const [event] = await eventsOf(house.auditor, 'type=AskAnswered&session=listed');
    expect(event).toMatchObject({ channel: 'cli', body: { reason: 'looks fine' } });
    const late = await run(['reject', open.id]);
    expect([late.code, late.output]).toEqual([
      1,
      expect.stringMatching(/approved by \S+ via cli .*\(ask.already_resolved\)/),
    ]);
  });

  it('tells by its exit code what was not taken, and what could not be asked', async () => {
    expect(await run(['show', 'ask_nobody'])).toMatchObject({
      code: 1,
      output: expect.stringContaining('ask.unknown'),
    });
    const away = { COUNTERSIGN_CONSOLE_URL: 'http://127.0.0.1:9', COUNTERSIGN_TOKEN: 'cs_approver_x' };
    expect(await run(['list'], away)).toMatchObject({ code: 2, output: expect.stringContaining('does not answer') });
    expect((await run(['approve'])).code).toBe(2);
    // The home's key is not sent to another address.
    const other = await run(['list'], { COUNTERSIGN_CONSOLE_URL: 'http://127.0.0.1:9' });
    expect(other).toMatchObject({ code: 2, output: expect.stringContaining('COUNTERSIGN_TOKEN') });
  });

  it('B26 does not take an agent’s key', async () => {
    const open = await ask('own-ask', 'make it');
    const agent = { COUNTERSIGN_CONSOLE_URL: house.endpoints.console, COUNTERSIGN_TOKEN: house.endpoints.agentKey };
    expect(await run(['approve', open.id], agent)).toMatchObject({
      code: 2,
      output: expect.stringContaining('auth.wrong_role'),
    });
    expect((await askOf(house.approver, 'own-ask')).status).toBe('open');
  });

  it('shows live what opens and closes', async () => {
    const watch = start(['watch']);
    const before = await ask('watched', 'make it');
    await eventually(async () => watch.output().includes(`+ ${before.id}`));
    await send(`${house.endpoints.console}/v1/asks/${before.id}/answer`, {
      key: house.endpoints.approverKey,
      body: { answer: 'reject' },
    });
    await eventually(async () => /- ask_\S+ {2}rejected by \S+ via web/.test(watch.output()));
    expect(watch.output().split(`+ ${before.id}`)).toHaveLength(2);
    await watch.end('SIGTERM');
  });
});
