/** Secrets planted in every way in: none of them is found in any table, job, message, log, metric or answer to people. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createVaultKeys, newVaultKey } from '@countersign/server';
import { answerAsk, askOf, eventsOf, eventually, send, type Answer } from '../system/doors.js';
import { openOverheardHouse, TENANT, type OverheardHouse } from './open-house.js';
import { leaksIn, PEM, SECRETS } from './planted.js';

const ring = [newVaultKey()];
/** Rewrites one command into one with a password, as a hook of an installation may. */
const rewriter = {
  name: 'rewriter',
  preToolUse: ({ args }: { args: Readonly<Record<string, unknown>> | null }) =>
    args?.['command'] === 'connect'
      ? ({ action: 'mutate', updatedArgs: { command: `mysql -p${SECRETS.rewritten} shop` } } as const)
      : ({ action: 'continue' } as const),
};

let house: OverheardHouse;
let keys: Record<'agent' | 'approver' | 'auditor' | 'admin' | 'reader', string>;
let calls = 0;

const people = () => ({ url: house.approver, key: keys.approver });
const auditor = () => ({ url: house.approver, key: keys.auditor });
const post = (path: string, body: unknown, key = keys.agent): Promise<Answer> =>
  send(house.gateway + path, { key, body });

function call(command: string, more: Record<string, unknown> = {}): Promise<Answer> {
  calls += 1;
  const named = { sessionId: 'run', toolUseId: `use-${calls}`, tool: 'Bash', cwd: '/srv/app', wait: 0 };
  return post('/v1/tool-calls', { ...named, args: { command }, ...more });
}

const hook = (event: string, more: Record<string, unknown>): Promise<Answer> =>
  post('/hooks/claude-code', { session_id: 'hooked', cwd: '/srv/app', hook_event_name: event, ...more });

beforeAll(async () => {
  house = await openOverheardHouse({
    policy: { deny: ['Bash(rm *)'], allow: ['Bash(mysql *)', 'Bash(connect)'], options: { maxToolOutputChars: 400 } },
    vaultKeys: ring,
    plugin: rewriter,
  });
  keys = {
    agent: await house.key('agent'),
    approver: await house.key('approver'),
    auditor: await house.key('auditor'),
    admin: await house.key('admin'),
    reader: await house.key('admin', ['originals.read']),
  };
}, 120_000);
afterAll(() => house?.close(), 60_000);

async function sendCalls(): Promise<void> {
  const s = SECRETS;
  for (const command of [
    `mysql -u root -p${s.mysql} shop`,
    `curl -u joe:${s.curlUser} https://h.example/x`,
    `git clone https://joe:${s.urlPassword}@h.example/x.git`,
    `PGPASSWORD=${s.envPassword} psql -h db`,
    `AWS_ACCESS_KEY_ID=${s.awsId} AWS_SECRET_ACCESS_KEY=${s.awsSecret} aws s3 ls`,
    `gh auth login --with-token <<< ${s.githubToken}`,
    `curl -d '${s.slackToken}' https://slack.example`,
    `echo ${s.stripeKey} | base64`,
    `curl -H 'Authorization: Bearer ${s.jwt}' https://h.example`,
    `cat > key.pem <<EOF\n${PEM}\nEOF`,
    `docker login -u joe -p ${s.dockerPassword} h.example`,
    `sshpass -p ${s.sshpass} ssh root@h.example`,
    `curl --oauth2-bearer ${s.bearer} https://h.example`,
    `DATABASE_URL=postgres://app:${s.connectionString}@db:5432/x node .`,
    `rm -rf / --password ${s.optionPassword}`,
  ]) {
    expect((await call(command)).status).toBe(200);
  }
  await call('', {
    tool: 'mcp__db__open',
    args: { host: 'db', password: s.jsonField, deep: { list: [{ apiKey: s.nested }] } },
  });
  await call('', { tool: 'mcp__run__exec', args: { argv: ['mysql', `-p${s.listArgument}`], [s.objectKey]: 1 } });
  await call('ls', { description: `uses ${s.description}` });
  await post('/v1/tool-calls/batch', {
    sessionId: 'run',
    cwd: '/srv/app',
    wait: 0,
    calls: [{ toolUseId: 'batch-1', tool: 'Bash', args: { command: `redis-cli -a ${s.batch} ping` } }],
  });
}

async function sendBadThings(): Promise<void> {
  const s = SECRETS;
  const { gateway, approver } = house;
  const raw = (body: string) => send(`${gateway}/v1/tool-calls`, { key: keys.agent, body });
  await raw(`{"sessionId":"run","toolUseId":"dup","tool":"Bash","args":{"a":"${s.duplicateKeys}","a":2}}`);
  await call(`${s.tooLarge} ${'x'.repeat(300_000)}`);
  await raw(`{"sessionId": "${s.badBody}" `);
  await raw(JSON.stringify({ sessionId: { x: s.badShape }, toolUseId: 7, tool: s.badShape }));
  expect((await call('ls', { tool: s.toolName })).status).toBe(400);
  expect((await call('ls', { sessionId: s.sessionId })).status).toBe(400);
  expect((await call('ls', { cwd: `/srv/${s.cwd}` })).status).toBe(400);
  await send(`${gateway}/v1/tool-calls/${s.path}`, { key: keys.agent });
  await send(`${gateway}/v1/${s.path}?token=${s.path}`, { key: keys.agent });
  await send(`${gateway}/v1/tool-calls`, { key: s.wrongKey, body: {} });
  await fetch(`${gateway}/v1/sessions/run/stop`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${keys.agent}`,
      'content-type': 'application/json',
      'idempotency-key': s.idempotencyKey,
    },
    body: '{}',
  });
  const rules = await post('/v1/sessions/run/rules', { deny: [`Bash(mysql --password ${s.ruleText} *)`] });
  expect(rules.status).toBe(400);
  await send(`${approver}/v1/events?session=${s.logQuery}`, { key: keys.auditor });
}

async function sendHooks(): Promise<void> {
  const s = SECRETS;
  const use = {
    tool_name: 'Bash',
    tool_use_id: 'toolu_1',
    tool_input: { command: `mysql -p${s.hookArguments} -e 'select 1'` },
  };
  await hook('PreToolUse', use);
  await hook('PostToolUse', { ...use, tool_response: { stdout: `found ${s.hookOutput}`, stderr: '' } });
  const failing = { ...use, tool_use_id: 'toolu_2', tool_input: { command: 'mysql -e x' } };
  await hook('PreToolUse', failing);
  await hook('PostToolUseFailure', { ...failing, error: `denied for token ${s.hookError}` });
  await hook('Notification', { message: `look: ${s.note}` });
  await hook('UserPromptSubmit', { prompt: s.prompt });
  await post('/v1/sessions', { id: 'labelled', agent: 'a', labels: { [`token-${s.label}`]: s.label } });
}

async function sendResults(): Promise<Answer[]> {
  const s = SECRETS;
  const one = await call('mysql -e one');
  const two = await call('mysql -e two');
  const shown = await post(`/v1/tool-calls/${one.body.id}/result`, {
    status: 'succeeded',
    output: `key ${s.resultOutput}\n${PEM}\n${'row\n'.repeat(400)}last: ${s.longOutput}`,
    elapsedMs: 5,
  });
  const error = `Access denied: mysql://app:${s.resultError}@db/x`;
  const failed = await post(`/v1/tool-calls/${two.body.id}/result`, { status: 'failed', error });
  return [one, shown, failed];
}

async function answerAsks(): Promise<void> {
  const s = SECRETS;
  const ask = (sessionId: string) => call('git push origin main', { sessionId });
  await ask('rejected');
  await ask('approved');
  await ask('cancelled');
  const answer = async (sessionId: string, body: Record<string, unknown>) => {
    const { id } = await askOf(people(), sessionId);
    return send(`${house.approver}/v1/asks/${id}/answer`, { key: keys.approver, body });
  };
  expect(
    (await answer('rejected', { answer: 'reject', reason: `rotate --password ${s.rejectReason} first` })).status,
  ).toBe(200);
  expect((await answer('approved', { answer: 'approve', reason: `with ${s.approveReason}` })).status).toBe(200);
  await post('/v1/sessions/cancelled/cancel', { reason: `leaked ${s.cancelReason}` });
  const kill = { scope: 'session', value: 'nobody', reason: `stop ${s.killReason}` };
  await send(`${house.approver}/v1/kill-switches`, { key: keys.approver, body: kill });
}

describe('secrets', () => {
  let results: Answer[];

  beforeAll(async () => {
    await sendCalls();
    await sendBadThings();
    await sendHooks();
    results = await sendResults();
    await answerAsks();
    await eventually(async () => house.live.some((text) => text.includes('ask.closed')));
  }, 120_000);

  it('D07 D08 none is found in the database, in Redis or on its wire, in logs, metrics, sockets or what people read', async () => {
    const metrics = await send(`${house.gateway}/metrics`, { key: keys.admin });
    expect(metrics.status).toBe(200);
    const reads = await Promise.all([
      eventsOf(auditor(), ''),
      send(`${house.approver}/v1/asks?status=all`, { key: keys.approver }),
      send(`${house.approver}/v1/sessions`, { key: keys.auditor }),
      send(`${house.approver}/v1/verify`, { key: keys.auditor }),
    ]);
    const raw = await (
      await fetch(`${house.gateway}/metrics`, { headers: { authorization: `Bearer ${keys.admin}` } })
    ).text();
    const places = {
      database: await house.dumpDatabase(),
      redis: await house.dumpRedis(),
      logs: house.logs(),
      metrics: raw,
      sockets: house.live.join('\n'),
      reads: JSON.stringify(reads),
    };
    const leaks = Object.fromEntries(Object.entries(places).map(([place, text]) => [place, leaksIn(text)]));
    expect(leaks).toEqual({ database: [], redis: [], logs: [], metrics: [], sockets: [], reads: [] });
    // Every place really was overheard.
    expect(places.database).toContain('ToolCallDecided');
    expect(places.redis).toContain('evalsha');
    expect(places.redis.toLowerCase()).toContain('publish');
    expect(places.logs).toContain('/v1/tool-calls');
    expect(places.sockets).toContain('ask.opened');
    expect(places.metrics).toContain('countersign_');
    expect(places.database).toContain('[redacted:');
    expect(Object.keys(SECRETS).length).toBeGreaterThanOrEqual(30);
  });

  it('tags equal secrets alike and says whether the redacted form is judged alike', async () => {
    const twice = `mysql -p${SECRETS.mysql} -e 'select 2'`;
    await call(twice, { sessionId: 'again' });
    const [event] = await eventsOf(auditor(), 'session=again&type=ToolCallDecided');
    const { request } = event?.body as { request: { args: { json: string; hash: string }; redaction: unknown } };
    const tag = createVaultKeys(ring).tag(SECRETS.mysql);
    expect(request.args.json).toContain(`-p[redacted:password:${tag}]`);
    expect(request.redaction).toEqual({
      found: [{ kind: 'password', count: expect.any(Number) }],
      sameVerdict: true,
      redacted: { effect: 'allow', ruleId: expect.any(String) },
    });
  });

  it('shows the model a redacted output within the limit, keeps the whole, and reads on page by page', async () => {
    const [one, shown, failed] = results;
    const { output, outputChars, shortened } = shown?.body as {
      output: string;
      outputChars: number;
      shortened: boolean;
    };
    expect(shortened).toBe(true);
    expect([...output].length).toBeLessThanOrEqual(400);
    expect(output).toContain(`GET /v1/tool-calls/${one?.body.id}/output`);
    expect(leaksIn(JSON.stringify([shown?.body, failed?.body]))).toEqual([]);
    let text = '';
    for (let offset: number | null = 0; offset !== null;) {
      const url = `${house.gateway}/v1/tool-calls/${one?.body.id}/output?offset=${offset}&limit=500`;
      const page = (await send(url, { key: keys.agent })).body as unknown as {
        text: string;
        next: number | null;
        total: number;
      };
      expect(page.total).toBe(outputChars);
      text += page.text;
      offset = page.next;
    }
    expect([...text]).toHaveLength(outputChars);
    expect(text).toContain('last: [redacted:');
    expect(leaksIn(text)).toEqual([]);
    expect(
      (await send(`${house.gateway}/v1/tool-calls/${one?.body.id}/output`, { key: await house.key('agent') })).status,
    ).toBe(403);
  });

  it('hands rewritten arguments to the agent whole, though they are stored redacted', async () => {
    const { body } = await call('connect', { sessionId: 'rewriting' });
    expect(body.updatedInput).toEqual({ command: `mysql -p${SECRETS.rewritten} shop` });
    const again = await send(`${house.gateway}/v1/tool-calls/${body.id}`, { key: keys.agent });
    expect(again.body.updatedInput).toEqual(body.updatedInput);
    expect(leaksIn(await house.dumpDatabase())).toEqual([]);
  });

  it('gives the original only to whoever has the right, and puts each reading on record', async () => {
    const { body } = await call(`mysql -p${SECRETS.mysql} -e 'select 3'`, { sessionId: 'original' });
    const url = `${house.approver}/v1/tool-calls/${body.id}/original`;
    for (const key of [keys.admin, keys.approver, keys.auditor]) {
      expect(await send(url, { key })).toMatchObject({ status: 403, body: { error: { code: 'auth.no_right' } } });
    }
    expect((await send(url, { key: keys.agent })).status).toBe(403);
    const read = await send(url, { key: keys.reader });
    expect(read.status).toBe(200);
    expect(read.body['request']).toMatchObject({ args: expect.stringContaining(SECRETS.mysql) });
    const log = await eventsOf(auditor(), 'type=LogRead');
    expect(log.filter((event) => JSON.stringify(event.body).includes(`original ${body.id}`))).toHaveLength(1);
    const plain = await call('mysql -e plain', { sessionId: 'original' });
    expect((await send(`${house.approver}/v1/tool-calls/${plain.body.id}/original`, { key: keys.reader })).status).toBe(
      404,
    );
  });

  it('refuses patterns with a secret in them, so that no grant keeps one', async () => {
    await call('git push --force', { sessionId: 'granting' });
    const { id } = await askOf(people(), 'granting');
    const body = { answer: 'approve', scope: 'always', pattern: `Bash(git push --password ${SECRETS.pattern} *)` };
    const answer = await send(`${house.approver}/v1/asks/${id}/answer`, { key: keys.approver, body });
    expect(leaksIn(JSON.stringify(answer.body) + (await house.dumpDatabase()))).toEqual([]);
    if (answer.status !== 200) await answerAsk(people(), id, 'reject');
  });

  it('keeps the chain whole over what is stored', async () => {
    const report = await send(`${house.approver}/v1/verify`, { key: keys.auditor });
    expect(report.body['problems']).toEqual([]);
    expect(await house.ledger.verify(TENANT)).toMatchObject({ problems: [] });
  });
});
