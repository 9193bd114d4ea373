/** Cookies, CSRF tokens, Host and Origin over plain HTTP: what the page's session may and may not do. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hashSecret } from '@countersign/ledger';
import { request } from 'node:http';
import pg from 'pg';
import { openApprovers, type Approvers } from '../testing/approvers.js';
import { send } from '../testing/doors.js';
import { createSignInCode } from './sign-in-code.js';

let house: Approvers;
let url: string;
let ann: { key: string; personId: string };

beforeAll(async () => {
  house = await openApprovers(2);
  [url = ''] = house.urls;
  ann = await house.person('Ann');
}, 60_000);
afterAll(() => house.close());

const signIn = (body: unknown, at = url, headers: Record<string, string> = {}) =>
  send(`${at}/sign-in`, null, { body, headers });

/** Signs in and gives the headers that the page would send. */
async function session(key = ann.key): Promise<{ cookie: string; csrf: string }> {
  const { headers } = await signIn({ key });
  const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const { body } = await send(`${url}/sign-in/session`, null, { headers: { cookie } });
  return { cookie, csrf: body.csrf };
}

describe('the cookie', () => {
  it('is signed, hidden from scripts, strict, and holds no secret', async () => {
    const { status, headers, body } = await signIn({ key: ann.key });
    expect(status).toBe(200);
    const [cookie = ''] = headers.getSetCookie();
    expect(cookie).toMatch(/HttpOnly/i);
    expect(cookie).toMatch(/SameSite=Strict/i);
    expect(cookie).toMatch(/Path=\//i);
    expect(cookie + JSON.stringify(body)).not.toContain(ann.key);
  });

  it('opens the page’s doors, on every approver', async () => {
    const { cookie } = await session();
    for (const at of house.urls) expect((await send(`${at}/v1/asks`, null, { headers: { cookie } })).status).toBe(200);
    const { body } = await send(`${url}/sign-in/session`, null, { headers: { cookie } });
    expect(body).toMatchObject({ name: 'Ann' });
  });

  it('is worth nothing when it was changed', async () => {
    const { cookie } = await session();
    const changed = cookie.slice(0, -3) + (cookie.endsWith('aaa') ? 'bbb' : 'aaa');
    expect((await send(`${url}/v1/asks`, null, { headers: { cookie: changed } })).status).toBe(401);
  });

  it('dies with its key', async () => {
    const { secret, key } = await house.ledger.keys.create({ tenantId: 'acme', role: 'approver', by: 'test' });
    const { cookie } = await session(secret);
    expect((await send(`${url}/v1/asks`, null, { headers: { cookie } })).status).toBe(200);
    await house.ledger.keys.revoke({ tenantId: 'acme', keyId: key.keyId, by: 'test' });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect((await send(`${url}/v1/asks`, null, { headers: { cookie } })).status).toBe(401);
  });

  it('does not open doors that its role does not open', async () => {
    const { cookie, csrf } = await session();
    const made = await send(`${url}/v1/people`, null, {
      body: { name: 'X' },
      headers: { cookie, 'x-csrf-token': csrf },
    });
    expect(made).toMatchObject({ status: 403, body: { error: { code: 'auth.wrong_role' } } });
  });
});

describe('the CSRF token', () => {
  it('is needed, and must fit the session', async () => {
    const { cookie, csrf } = await session();
    const other = await session();
    const { askId } = await house.ask();
    const answer = (headers: Record<string, string>) =>
      send(`${url}/v1/asks/${askId}/answer`, null, { body: { answer: 'approve' }, headers: { cookie, ...headers } });
    for (const headers of [{}, { 'x-csrf-token': 'guess' }, { 'x-csrf-token': other.csrf }]) {
      expect(await answer(headers as Record<string, string>)).toMatchObject({
        status: 403,
        body: { error: { code: 'auth.csrf' } },
      });
    }
    expect((await house.ledger.asks.get('acme', askId))?.status).toBe('open');
    const done = await answer({ 'x-csrf-token': csrf });
    expect(done).toMatchObject({ status: 200, body: { ask: { resolvedBy: 'Ann', resolvedVia: 'web' } } });
  });

  it('is not given to other sites', async () => {
    const { cookie } = await session();
    const { headers } = await send(`${url}/sign-in/session`, null, { headers: { cookie } });
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('cache-control')).toContain('no-store');
  });
});

describe('signing in', () => {
  it('takes approvers and admins only', async () => {
    const auditor = await house.person('Audrey', 'auditor');
    expect((await signIn({ key: await house.agentKey() })).status).toBe(403);
    expect((await signIn({ key: auditor.key })).status).toBe(403);
    expect((await signIn({ key: 'cs_approver_nobody' })).status).toBe(401);
    expect((await signIn({ key: (await house.person('Ada', 'admin')).key })).status).toBe(200);
    expect((await signIn({})).status).toBe(400);
  });

  it('takes a code once over all approvers, and never an old or a foreign one', async () => {
    const make = (cookieSecret: string, now = Date.now()) =>
      createSignInCode({ cookieSecret, keyHash: hashSecret(ann.key), now });
    const code = make(house.cookieSecret);
    const tries = await Promise.all(Array.from({ length: 10 }, (_, place) => signIn({ code }, house.urls[place % 2])));
    expect(tries.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await signIn({ code: make(house.cookieSecret, Date.now() - 11 * 60_000) })).status).toBe(401);
    expect((await signIn({ code: make('another house’s secret, long enough') })).status).toBe(401);
  });

  it('remembers a used code for as long as it lives', async () => {
    const code = createSignInCode({ cookieSecret: house.cookieSecret, keyHash: hashSecret(ann.key), now: Date.now() });
    expect((await signIn({ code })).status).toBe(200);
    const owner = new pg.Client({ connectionString: house.database.ownerUrl });
    await owner.connect();
    await owner.query("UPDATE idempotency SET created_at = created_at - interval '9 minutes'");
    await owner.end();
    expect((await signIn({ code })).status).toBe(401);
  });

  it('never happens by GET', async () => {
    const code = createSignInCode({ cookieSecret: house.cookieSecret, keyHash: hashSecret(ann.key), now: Date.now() });
    const shown = await fetch(`${url}/sign-in?code=${code}`);
    expect(shown.headers.getSetCookie()).toEqual([]);
    expect((await signIn({ code })).status).toBe(200);
  });

  it('refuses requests of other sites', async () => {
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1']) {
      expect((await signIn({ key: ann.key }, url, { origin })).body.error.code).toBe('auth.host');
    }
    expect((await signIn({ key: ann.key }, url, { origin: url })).status).toBe(200);
  });
});

describe('the Host header', () => {
  it.each(['evil.example', 'localhost.evil.example', 'evil.example:80@127.0.0.1'])('refuses `%s`', async (host) => {
    const status = await new Promise<number>((resolve, reject) => {
      const { hostname, port } = new URL(url);
      const headers = { host, authorization: `Bearer ${ann.key}` };
      request({ hostname, port, path: '/v1/asks', headers }, (response) => resolve(response.resume().statusCode ?? 0))
        .on('error', reject)
        .end();
    });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).not.toBe(401);
  });
});

describe('signing out', () => {
  it('takes the cookie away', async () => {
    const { cookie, csrf } = await session();
    expect((await send(`${url}/sign-out`, null, { body: {}, headers: { cookie } })).status).toBe(403);
    const out = await send(`${url}/sign-out`, null, { body: {}, headers: { cookie, 'x-csrf-token': csrf } });
    expect(out.status).toBe(200);
    expect(out.headers.getSetCookie()[0]).toMatch(/Max-Age=0/i);
  });
});

describe('the page’s files', () => {
  it('come with a strict policy and without inline script', async () => {
    for (const path of ['/', '/sign-in', '/page/page.js']) {
      const { status, headers, body } = await send(`${url}${path}`, null);
      expect(status).toBe(200);
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('content-security-policy')).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(String(body)).not.toMatch(/<script(?![^>]*src=)|\son[a-z]+="/);
    }
  });

  it('are only those', async () => {
    for (const path of ['/page/index.html', '/page/..%2f..%2fpackage.json', '/page/nothing.js', '/page/__proto__']) {
      expect((await send(`${url}${path}`, null)).status).toBe(404);
    }
  });
});
