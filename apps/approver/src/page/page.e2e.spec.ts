/** The page in a real browser: an ask appears, a press decides it, and every other browser sees that it is over. */
import { existsSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { showPlainly } from '@countersign/contracts';
import { hashSecret } from '@countersign/ledger';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { createSignInCode } from '../sign-in/sign-in-code.js';
import { openApprovers, type Approvers } from '../testing/approvers.js';
import { eventually, send } from '../testing/doors.js';

const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

jest.setTimeout(30_000);

let house: Approvers;
let browser: Browser;
let url: string;
let ann: { key: string; personId: string };
let bo: { key: string };
const troubles: string[] = [];

beforeAll(async () => {
  if (!existsSync(CHROMIUM)) throw new Error(`no Chromium at ${CHROMIUM}: install it or set CHROMIUM_PATH`);
  house = await openApprovers(2);
  [url = ''] = house.urls;
  ann = await house.person('Ann');
  bo = await house.person('Bo');
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
  browser = await chromium.launch({ executablePath: CHROMIUM, args });
}, 90_000);
afterEach(async () => {
  const kept = new Set([...signedInPages.values()].map((page) => page.context()));
  await Promise.all(
    browser.contexts().map(async (context) => {
      if (!kept.has(context)) return context.close();
      // What a test left there is gone, and nothing is shown until the next one needs it.
      await context.setOffline(false);
      for (const page of context.pages()) {
        await page.unrouteAll({ behavior: 'wait' });
        await page.goto('about:blank');
      }
    }),
  );
});
afterAll(async () => {
  await browser?.close();
  await house?.close();
});

/** Key and place -> the page of a browser in which the key's owner has signed in there; a new one costs more than all of a test. */
const signedInPages = new Map<string, Page>();

/** The page afresh in a browser in which the key's owner has signed in. */
async function signedIn(key: string, at = url): Promise<Page> {
  const place = `${key} ${at}`;
  const known = signedInPages.get(place);
  if (known !== undefined) {
    await known.goto(`${at}/`);
    await isLive(known);
    return known;
  }
  const page = await signIn(key, at);
  signedInPages.set(place, page);
  return page;
}

/** Signs in by the form, in a browser of its own. */
async function signIn(key: string, at = url, context?: BrowserContext): Promise<Page> {
  const page = await openPage(context ?? (await browser.newContext()));
  await page.goto(`${at}/`);
  await page.waitForURL('**/sign-in');
  await page.getByLabel('Approver key').fill(key);
  await page.getByRole('button', { name: 'Sign in with a key' }).click();
  await page.waitForURL(`${at}/`);
  await isLive(page);
  return page;
}

/** A page whose troubles are noted. */
async function openPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('console', (line) => {
    if (line.text().includes('Content Security Policy')) troubles.push(line.text());
  });
  return page;
}

const isLive = (page: Page): Promise<void> => page.locator('#connection[data-state=live]').waitFor();

const card = (page: Page, askId: string) => page.locator(`[data-ask-id="${askId}"]`);

describe('the page', () => {
  it('says what a kill switch freezes, and that it is over', async () => {
    const page = await signedIn(ann.key);
    const wish = { scope: 'tool', value: 'Deploy\u202e', reason: 'the pipeline is on fire' };
    const made = await send(`${url}/v1/kill-switches`, bo.key, { body: wish });
    const banner = page.locator('#frozen');
    await banner.waitFor();
    const text = await banner.innerText();
    for (const part of ['Frozen: tool Deploy\\u{202e}', 'the pipeline is on fire']) expect(text).toContain(part);
    await send(`${url}/v1/kill-switches/${String(made.body.id)}/release`, bo.key, { body: {} });
    await banner.waitFor({ state: 'hidden' });
  });

  it('shows an ask by itself, and Approve approves it in the ledger', async () => {
    const page = await signedIn(ann.key);
    const { askId, callId } = await house.askAloud({
      says: 'I want to ship it',
      args: { command: 'git push origin main' },
    });
    const shown = card(page, askId);
    await shown.waitFor();
    const text = await shown.innerText();
    for (const part of [
      'Bash',
      'git push origin main',
      '/home/ann/payments',
      'ask.git-push',
      'medium risk',
      'I want to ship it',
      'not checked',
      'left',
    ]) {
      expect(text).toContain(part);
    }
    await shown.getByLabel('Reason').fill('the release is today');
    await shown.getByRole('button', { name: 'Approve' }).click();
    await shown.getByText('Approved by Ann via web').waitFor();
    expect(await house.ledger.asks.get('acme', askId)).toMatchObject({ status: 'approved', resolvedBy: 'Ann' });
    expect((await house.ledger.calls.byId('acme', callId))?.outcome).toMatchObject({ decision: 'allow' });
    const { items } = await house.ledger.events.list('acme', { type: 'AskAnswered', person: ann.personId });
    expect(items[0]?.body).toMatchObject({ reason: 'the release is today', by: { channel: 'web' } });
  });

  it('grants for good what the person chooses, and shows what it would reach', async () => {
    const { policyDocumentSchema } = await import('@countersign/contracts');
    const document = policyDocumentSchema.parse({});
    const { hash } = await house.ledger.policies.publish({ tenantId: 'acme', name: 'default', document, by: 'test' });
    const page = await signedIn(ann.key);
    const { askId } = await house.askAloud({ args: { command: 'npm run build' }, policyHash: hash });
    const shown = card(page, askId);
    await shown.getByText('Scope and changes').click();
    await shown.getByLabel('always, in this project').check();
    const patterns = shown.getByLabel('What is allowed from now on');
    await patterns.locator('option', { hasText: 'Bash(npm run build' }).first().waitFor({ state: 'attached' });
    const offered = await patterns.locator('option').allTextContents();
    await patterns.selectOption({ index: 1 });
    await shown.getByLabel('Until').selectOption('86400');
    await shown.getByRole('button', { name: 'Approve' }).click();
    await shown.getByText('Approved by Ann via web').waitFor();
    const { items } = await house.ledger.grants.list({ tenantId: 'acme' });
    expect(items.find((grant) => grant.askId === askId)).toMatchObject({ pattern: offered[1], kind: 'always' });
  });

  it('sends edited arguments as they are written, and shows what runs instead', async () => {
    const page = await signedIn(ann.key);
    const { askId, callId } = await house.askAloud();
    const shown = card(page, askId);
    await shown.getByText('Scope and changes').click();
    await shown.getByLabel('Arguments to run instead').fill('not json');
    await shown.getByRole('button', { name: 'Approve' }).click();
    await shown.getByText('must be a JSON object').waitFor();
    const twice = '{"command": "git push origin feature", "command": "git push origin evil"}';
    await shown.getByLabel('Arguments to run instead').fill(twice);
    await shown.getByRole('button', { name: 'Approve' }).click();
    await shown.getByText('duplicate key').waitFor();
    await shown.getByLabel('Arguments to run instead').fill('{"command": "git push origin feature"}');
    await shown.getByRole('button', { name: 'Approve' }).click();
    await shown.getByText('Approved with other arguments by Ann via web').waitFor();
    const ended = page.locator('#recent-asks li', { hasText: 'Approved with other arguments' }).first();
    await ended.getByText('Runs instead: {"command":"git push origin feature"}').waitFor();
    expect((await house.ledger.calls.byId('acme', callId))?.outcome.updatedInput).toEqual({
      command: 'git push origin feature',
    });
  });

  it('B07 keeps the same call under other ids apart, and says how many there are; and who may answer', async () => {
    const page = await signedIn(ann.key);
    const first = await house.askAloud({ routes: [{ approvers: ['group:ops', 'ann\u202e'] }] });
    const { sessionId } = first;
    await card(page, first.askId).waitFor();
    expect(await card(page, first.askId).locator('.alike').isVisible()).toBe(false);
    expect(await card(page, first.askId).locator('.approvers').innerText()).toBe('group:ops, ann\\u{202e}');
    const second = await house.askAloud({ sessionId });
    for (const { askId } of [first, second]) {
      await card(page, askId)
        .getByText(/The same call is asked 2 times/)
        .waitFor();
    }
    await card(page, second.askId).getByRole('button', { name: 'Reject' }).click();
    await card(page, first.askId).locator('.alike').waitFor({ state: 'hidden' });
  });

  it('offers no approval where the route wants it elsewhere', async () => {
    const page = await signedIn(ann.key);
    const { askId } = await house.askAloud({ routes: [{ rejectOnlyOn: ['web'] }] });
    await card(page, askId).getByText('can be rejected but not approved').waitFor();
    expect(await card(page, askId).getByRole('button', { name: 'Approve' }).isVisible()).toBe(false);
    expect(await card(page, askId).getByRole('button', { name: 'Reject' }).isVisible()).toBe(true);
  });

  it('closes the card in every other browser, on other approvers too', async () => {
    const [first, second] = await Promise.all([signedIn(ann.key), signedIn(bo.key, house.urls[1])]);
    const { askId } = await house.askAloud();
    await Promise.all([card(first, askId).waitFor(), card(second, askId).waitFor()]);
    await card(first, askId).getByRole('button', { name: 'Reject' }).click();
    await card(second, askId).getByText('Rejected by Ann via web').waitFor();
    expect(await card(second, askId).getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });

  it('tells the loser who won', async () => {
    const page = await signedIn(bo.key);
    const { askId } = await house.askAloud();
    await card(page, askId).waitFor();
    await page.route('**/v1/asks/*/answer', async (route) => {
      await send(`${url}/v1/asks/${askId}/answer`, ann.key, { body: { answer: 'reject' } });
      await route.continue();
    });
    await card(page, askId).getByRole('button', { name: 'Approve' }).click();
    await card(page, askId)
      .getByText(/Rejected by Ann via web/)
      .waitFor();
    expect((await house.ledger.asks.get('acme', askId))?.status).toBe('rejected');
  });

  it('B11 keeps two questions apart', async () => {
    const page = await signedIn(ann.key);
    const [one, two] = [await house.askAloud(), await house.askAloud()];
    await Promise.all([card(page, one.askId).waitFor(), card(page, two.askId).waitFor()]);
    const count = async () => Number(await page.locator('#open-count').innerText());
    const both = await count();
    await card(page, two.askId).getByRole('button', { name: 'Approve' }).click();
    await card(page, two.askId).getByText('Approved by Ann').waitFor();
    await eventually(async () => (await count()) === both - 1);
    expect(await card(page, one.askId).getByRole('button', { name: 'Approve' }).isEnabled()).toBe(true);
    expect((await house.ledger.asks.get('acme', one.askId))?.status).toBe('open');
  });

  it('B09 an older list that comes late brings no answered ask back', async () => {
    const page = await signedIn(ann.key);
    const { askId } = await house.askAloud();
    await card(page, askId).waitFor();
    // The next list is taken from the server now, and reaches the page only after the ask has ended.
    let taken = (): void => undefined;
    let letGo = (): void => undefined;
    const isTaken = new Promise<void>((resolve) => (taken = resolve));
    const goes = new Promise<void>((resolve) => (letGo = resolve));
    await page.route(
      /v1\/asks\?status=open/,
      async (route) => {
        const response = await route.fetch();
        taken();
        await goes;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    // Whatever changes a kill switch has the page read its list again.
    const wish = { scope: 'tool', value: 'Nothing', reason: 'a drill' };
    const kill = await send(`${url}/v1/kill-switches`, bo.key, { body: wish });
    await isTaken;
    await send(`${url}/v1/asks/${askId}/answer`, bo.key, { body: { answer: 'approve' } });
    await card(page, askId)
      .getByText(/Approved by Bo via web/)
      .waitFor();
    const late = page.waitForResponse(/v1\/asks\?status=open/);
    letGo();
    await late;
    const current = page.waitForResponse(/v1\/asks\?status=open/);
    await send(`${url}/v1/kill-switches/${String(kill.body.id)}/release`, bo.key, { body: {} });
    await current;
    expect(await card(page, askId).locator('form').count()).toBe(0);
  });

  it('shows what hides, as head and tail when it is long', async () => {
    const page = await signedIn(ann.key);
    const command = `echo \u202e\u200b"x"\n${'\n'.repeat(60)}rm -rf /srv`;
    const { askId } = await house.askAloud({
      args: { command, '<img src=x onerror=alert(1)>': 1 },
      says: 'safe\u2066',
    });
    await card(page, askId).waitFor();
    const text = await card(page, askId).innerText();
    expect(text).toContain('\\u{202e}');
    expect(text).toContain('\\u{200b}');
    expect(text).toContain('\\u{2066}');
    expect(text).toContain('rm -rf /srv');
    expect(text).toContain('<img src=x onerror=alert(1)>');
    expect(text).toMatch(/\d+ characters in \d+ lines are not shown/);
    expect(await card(page, askId).locator('img').count()).toBe(0);
  });

  it('B29 escapes exactly what every other channel does, look-alikes too', async () => {
    const page = await signedIn(ann.key);
    const points = Array.from({ length: 0x3000 }, (_, point) => String.fromCodePoint(point + 0x20));
    const words = [
      'p\u0430ypal rm',
      '\u0440\u0443 -c x',
      '\u043f\u0440\u0438\u0432\u0435\u0442 \u043e\u043d',
      'x\uff41\u0436',
      'a\u200b\u0430\u034f\u0435b',
    ];
    const others = [
      '\u{e0041}',
      '\ufeff',
      '\ufe0f',
      '\u{1f600}',
      '\uac00',
      '\ufff9',
      '\u{1d400}m',
      'git\u2215x',
      '\uff4c\uff53',
    ];
    const samples = [...points, ...points.map((point) => `a${point}`), ...words, ...others];
    const shown = await page.evaluate(async (texts: string[]) => {
      const path = '/page/visible.js';
      const { visible } = await import(path);
      return texts.map((text) => visible(text).textContent as string);
    }, samples);
    expect(shown).toEqual(samples.map((text) => showPlainly(text, { keepLines: true })));
    const { askId } = await house.askAloud({ args: { command: 'curl p\u0430ypal.com' } });
    await card(page, askId).waitFor();
    expect(await card(page, askId).locator('mark').innerText()).toBe('\\u{430}');
  });

  it('lists what is allowed for good, and takes it back', async () => {
    const page = await signedIn(ann.key);
    const root = await house.person('Root', 'admin');
    const made = await send(`${url}/v1/grants`, root.key, {
      body: { pattern: 'Bash(npm run p\u0430ck)', uses: 3, root: '/home/ann/payments' },
    });
    await page.getByText('Show, and take back').click();
    const row = page.locator(`[data-grant-id="${made.body.id}"]`);
    await row.waitFor();
    expect(await row.innerText()).toMatch(
      /Bash\(npm run p\\u\{430\}ck\)\s+in \/home\/ann\/payments, by Root, 3 uses left\s+Revoke/,
    );
    await row.getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });
    expect(await house.ledger.grants.get('acme', made.body.id)).toMatchObject({
      status: 'revoked',
      endedBy: ann.personId,
    });
  });

  it('B02 tells whoever answered first that somebody else says the contrary', async () => {
    const page = await signedIn(ann.key);
    const { askId } = await house.askAloud();
    await card(page, askId).waitFor();
    await card(page, askId).getByRole('button', { name: 'Approve' }).click();
    await card(page, askId).getByText('Approved by Ann via web').waitFor();
    const late = await send(`${house.urls[1]}/v1/asks/${askId}/answer`, bo.key, { body: { answer: 'reject' } });
    expect(late.status).toBe(409);
    const told = /Bo answered reject via web at .*: too late, it changed nothing/;
    await card(page, askId).getByText(told).waitFor();
    await page.locator('#recent-asks .late').getByText(told).first().waitFor();
    await eventually(async () => (await page.locator('#announcer').textContent())?.includes('Ann had answered before'));
    const { body } = await send(`${url}/v1/asks/${askId}`, ann.key);
    expect(body.late).toEqual([{ answer: 'reject', by: 'Bo', via: 'web', at: expect.stringMatching(/^\d{4}-.*Z$/) }]);
  });

  it('names the places that questions do not reach any more', async () => {
    const closed = { problem: 'the webhook said that it is gone (410)', closedAt: '2026-11-30T12:00:00.000000Z' };
    const items = [
      { channel: 'webhook', target: 'relay', closed },
      { channel: 'webhook', target: 'other', closed: null },
    ];
    const context = await browser.newContext();
    await context.route('**/v1/channels', (route) => route.fulfill({ json: { items, next: null } }));
    const page = await signIn(ann.key, url, context);
    await page.getByText(/Nothing is sent to webhook relay any more, since .*2026.*: the webhook said/).waitFor();
    expect(await page.locator('#closed-channels').innerText()).not.toContain('other');
  });

  it('says when live updates pause, and catches up by itself', async () => {
    const page = await signedIn(ann.key);
    const { askId: gone } = await house.askAloud();
    await card(page, gone).waitFor();
    await page.context().setOffline(true);
    await page.getByText('Live updates paused').waitFor();
    const { askId: missed } = await house.askAloud();
    await send(`${url}/v1/asks/${gone}/answer`, bo.key, { body: { answer: 'approve' } });
    await page.context().setOffline(false);
    await card(page, missed).waitFor();
    await card(page, gone).getByText('Approved by Bo').waitFor();
    await page.locator('#connection[data-state=live]').waitFor();
  });

  it('works by keyboard and says what happened', async () => {
    const page = await signedIn(ann.key);
    const { askId } = await house.askAloud();
    await card(page, askId).waitFor();
    // A press right after cards moved is not taken; give the list its time to settle.
    await page.waitForTimeout(600);
    await card(page, askId).getByLabel('Reason').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await card(page, askId).getByText('Rejected by Ann').waitFor();
    await eventually(async () => (await page.locator('#announcer').textContent())?.includes('Rejected by Ann'));
  });

  it('breaks none of its own rules', () => {
    expect(troubles).toEqual([]);
  });
});

describe('signing in and out', () => {
  it('takes a one-time link once, and only on a press', async () => {
    const code = createSignInCode({ cookieSecret: house.cookieSecret, keyHash: hashSecret(ann.key), now: Date.now() });
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${url}/sign-in#code=${code}`);
    expect(await page.context().cookies()).toEqual([]);
    expect(page.url()).not.toContain(code);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Ann', { exact: true }).waitFor();
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    const again = await (await browser.newContext()).newPage();
    await again.goto(`${url}/sign-in#code=${code}`);
    await again.getByRole('button', { name: 'Sign in', exact: true }).click();
    await again.getByRole('alert').waitFor();
    expect(await again.context().cookies()).toEqual([]);
  });

  it('signs out', async () => {
    const page = await signIn(ann.key);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-in');
    expect(await page.context().cookies()).toEqual([]);
  });

  it('refuses keys that are not an approver’s', async () => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${url}/sign-in`);
    await page.getByLabel('Approver key').fill(await house.agentKey());
    await page.getByRole('button', { name: 'Sign in with a key' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.context().cookies()).toEqual([]);
  });
});
