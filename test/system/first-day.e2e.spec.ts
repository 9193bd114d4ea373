/** The first day: a fresh home, every recorded hook of Claude Code answered, and an ask that a person approves on the page. */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { chromium, type Browser } from 'playwright-core';
import { effectOf, problemOfReply } from './claude-replies.js';
import { answerAsk, eventsOf, openAsks, send, type Answer } from './doors.js';
import { OwnHouse } from './own-house.js';

jest.setTimeout(120_000);

const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const FOLDER = resolve('test/data/payloads');

interface Hook {
  readonly hook_event_name: string;
  readonly session_id: string;
  readonly tool_use_id?: string;
}

/** File and body of the payloads 01 to 18 that are hooks. */
const HOOKS = readdirSync(FOLDER)
  .filter((name) => /^(0[1-9]|1[0-8])-/.test(name))
  .sort()
  .map((name) => [name, JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Hook] as const)
  .filter(([, hook]) => typeof hook.hook_event_name === 'string');

/** Payload number -> the effect of its reply under the policy of a first start, where every ask is approved. */
const EXPECTED: Readonly<Record<string, { readonly effect: string | null; readonly asked?: boolean }>> = {
  '01': { effect: 'allow', asked: true },
  '02': { effect: 'allow', asked: true },
  '03': { effect: 'allow', asked: true },
  '04': { effect: 'allow', asked: true },
  '05': { effect: 'allow', asked: true },
  '06': { effect: 'allow', asked: true },
  '07': { effect: 'allow', asked: true },
  '08': { effect: 'allow', asked: true },
  '09': { effect: 'allow', asked: true },
  '10': { effect: 'allow', asked: false },
  // Mode `dontAsk`.
  '11': { effect: 'deny', asked: false },
  // Dialogs with the user are left to the user.
  '12': { effect: null },
  '13': { effect: null },
  '14': { effect: 'allow', asked: true },
  // What gates no tool.
  '15': { effect: null, asked: false },
  '16': { effect: null, asked: false },
  '17': { effect: null, asked: false },
  '18': { effect: 'allow', asked: true },
};

let house: OwnHouse;
beforeAll(async () => {
  house = await OwnHouse.open();
}, 180_000);
afterAll(() => house?.close(), 60_000);

const post = (hook: object): Promise<Answer> =>
  send(`${house.endpoints.gateway}/hooks/claude-code`, { key: house.endpoints.agentKey, body: hook });

/** Sends a hook and approves what it asks; gives the reply and whether people were asked. */
async function postAndApprove(hook: Hook): Promise<{ answer: Answer; asked: boolean }> {
  let done = false;
  let asked = false;
  const reply = post(hook).finally(() => (done = true));
  while (!done) {
    for (const ask of await openAsks(house.approver)) {
      asked = true;
      expect((await answerAsk(house.approver, ask.id, 'approve')).status).toBe(200);
    }
    await Promise.race([reply, new Promise((next) => setTimeout(next, 50))]);
  }
  return { answer: await reply, asked };
}

describe('every recorded hook of Claude Code', () => {
  it('is there', () => {
    expect(HOOKS).toHaveLength(18);
  });

  it.each(HOOKS)('%s has a legal reply', async (name, hook) => {
    const { answer, asked } = await postAndApprove(hook);
    expect(answer.status).toBe(200);
    expect(problemOfReply(hook.hook_event_name, answer.body)).toBeNull();
    expect({ effect: effectOf(answer.body), asked }).toMatchObject(EXPECTED[name.slice(0, 2)] ?? {});
  });
});

describe('a Bash call that needs a person', () => {
  let browser: Browser;
  beforeAll(async () => {
    if (!existsSync(CHROMIUM)) throw new Error(`no Chromium at ${CHROMIUM}: install it or set CHROMIUM_PATH`);
    const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
    browser = await chromium.launch({ executablePath: CHROMIUM, args });
  });
  afterAll(() => browser?.close());

  it('appears on the page, and a click on Approve releases the waiting hook', async () => {
    const page = await browser.newPage();
    await page.goto(house.signInLink);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.locator('#connection[data-state=live]').waitFor();
    const [, recorded] = HOOKS[0]!;
    const sessionId = randomUUID();
    const toolUseId = `toolu_${randomUUID()}`;
    let reply: Answer | null = null;
    const waiting = post({ ...recorded, session_id: sessionId, tool_use_id: toolUseId }).then((answer) => {
      reply = answer;
    });
    const card = page.locator('[data-ask-id]', { hasText: sessionId });
    await card.waitFor();
    expect(await card.innerText()).toContain('git push origin HEAD');
    expect(reply).toBeNull();
    await card.getByRole('button', { name: 'Approve' }).click();
    await waiting;
    expect(effectOf(reply!['body'])).toBe('allow');
    await card.getByText(/^Approved by/).waitFor();
    const decided = await eventsOf(house.auditor, `session=${sessionId}&type=ToolCallDecided`);
    const people = await send(`${house.endpoints.console}/v1/people`, { key: house.endpoints.adminKey });
    const [person] = people.body['items'] as { id: string; name: string }[];
    expect(decided).toMatchObject([
      {
        tool: 'Bash',
        decision: 'allow',
        ruleId: expect.stringMatching(/./),
        personId: person?.id,
        channel: 'web',
        body: {
          request: { toolUseId },
          decision: { approvalStatus: 'approved', answeredBy: { personName: person?.name } },
        },
      },
    ]);
    const byPerson = `session=${sessionId}&person=${person?.id}&rule=${encodeURIComponent(decided[0]?.ruleId ?? '')}`;
    expect((await eventsOf(house.auditor, byPerson)).map(({ type }) => type)).toEqual(['ToolCallDecided']);
  });
});
