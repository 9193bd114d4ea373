/** Browser sessions without a store: a signed cookie that names a key by its hash, and a CSRF token bound to it. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** `subject` is the SHA-256 (hex) of the key that signed in, so that revoking the key ends the session. */
export interface CookieSession {
  readonly subject: string;
  readonly csrf: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface CookieSessions {
  /** A new session and its Set-Cookie header. */
  issue(subject: string): { session: CookieSession; setCookie: string };
  /** The session of a Cookie header; null when it is absent, forged or over. */
  read(cookieHeader: string | undefined): CookieSession | null;
  /** The Set-Cookie header that ends the session in the browser. */
  clear(): string;
  /** Whether a request that changes something carries the session's own token. */
  csrfFits(session: CookieSession, token: string | undefined): boolean;
}

export interface CookieOptions {
  readonly name?: string;
  readonly maxAgeSeconds?: number;
  /** Send the cookie over HTTPS only. */
  readonly secure?: boolean;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

const sessionSchema = z.object({ subject: z.string(), csrf: z.string(), expiresAt: z.number() });
/** Name of the request header that carries the token. */
export const CSRF_HEADER = 'x-csrf-token';

/** The secret needs at least 32 characters; changing it ends every session. */
export function createCookieSessions(secret: string, options: CookieOptions = {}): CookieSessions {
  if (secret.length < 32) throw new Error('the cookie secret needs at least 32 characters');
  const { name = 'countersign', maxAgeSeconds = 12 * 3600, secure = false, clock = () => Date.now() } = options;
  const attributes = `Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
  const sign = (text: string): string => createHmac('sha256', secret).update(text).digest('base64url');
  return {
    issue: (subject) => {
      const csrf = randomBytes(32).toString('base64url');
      const session = { subject, csrf, expiresAt: clock() + maxAgeSeconds * 1_000 };
      const text = Buffer.from(JSON.stringify(session)).toString('base64url');
      return { session, setCookie: `${name}=${text}.${sign(text)}; Max-Age=${maxAgeSeconds}; ${attributes}` };
    },
    read: (header) => {
      const [text, signature] = (cookieNamed(header, name) ?? '').split('.');
      if (!text || !signature || !equalTexts(signature, sign(text))) return null;
      const session = sessionSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
      return session.expiresAt > clock() ? session : null;
    },
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
    csrfFits: (session, token) => token !== undefined && equalTexts(token, session.csrf),
  };
}

/** Of several cookies of one name the first counts, as browsers send the most specific path first. */
function cookieNamed(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/** Constant in time for texts of equal length. */
function equalTexts(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
