/** A cookie session holds while its signature and its time do. */
import { describe, expect, it } from '@jest/globals';
import { createCookieSessions } from './cookie-sessions.js';

const SECRET = 's'.repeat(32);
const cookieOf = (setCookie: string): string => setCookie.split(';')[0] ?? '';

describe('createCookieSessions', () => {
  it('reads what it issued among other cookies', () => {
    const cookies = createCookieSessions(SECRET);
    const { session, setCookie } = cookies.issue('hash');
    expect(setCookie).toMatch(/^countersign=\S+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(cookies.read(`a=b; ${cookieOf(setCookie)}; c=d`)).toEqual(session);
    expect(cookies.read(`other${cookieOf(setCookie)}`)).toBeNull();
    expect(createCookieSessions(SECRET, { secure: true }).issue('hash').setCookie).toContain('; Secure');
  });

  it('refuses forged, foreign, cut and old cookies', () => {
    let now = 0;
    const cookies = createCookieSessions(SECRET, { maxAgeSeconds: 10, clock: () => now });
    const cookie = cookieOf(cookies.issue('hash').setCookie);
    const [text = '', signature = ''] = cookie.split('=')[1]!.split('.');
    const other = Buffer.from('{"subject":"other","csrf":"x","expiresAt":9e15}').toString('base64url');
    for (const forged of [
      `${other}.${signature}`,
      text,
      `${text}.`,
      `.${signature}`,
      `${text}.${signature}x`,
      '',
      '.',
    ]) {
      expect(cookies.read(`countersign=${forged}`)).toBeNull();
    }
    expect(createCookieSessions('t'.repeat(32)).read(cookie)).toBeNull();
    expect(cookies.read(undefined)).toBeNull();
    now = 9_999;
    expect(cookies.read(cookie)).not.toBeNull();
    now = 10_000;
    expect(cookies.read(cookie)).toBeNull();
  });

  it('binds the token to its session', () => {
    const cookies = createCookieSessions(SECRET);
    const [one, two] = [cookies.issue('hash').session, cookies.issue('hash').session];
    expect(cookies.csrfFits(one, one.csrf)).toBe(true);
    expect(cookies.csrfFits(one, two.csrf)).toBe(false);
    expect(cookies.csrfFits(one, undefined)).toBe(false);
    expect(cookies.csrfFits(one, '')).toBe(false);
  });

  it('ends a session in the browser, and needs a long secret', () => {
    expect(createCookieSessions(SECRET).clear()).toMatch(/^countersign=; Max-Age=0;/);
    expect(() => createCookieSessions('short')).toThrow(/32 characters/);
  });
});
