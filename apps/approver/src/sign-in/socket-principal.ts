/** Who stands behind a websocket: a key sent as token, or the page's cookie. Only those who may answer are let in. */
import { DoorError } from '@countersign/contracts';
import type { Authenticator, CookieSessions, Principal } from '@countersign/server';
import type { IncomingHttpHeaders } from 'node:http';

/** What a socket brings along. */
export interface Handshake {
  readonly auth: Readonly<Record<string, unknown>>;
  readonly headers: IncomingHttpHeaders;
}

/** Throws a DoorError for everybody who may not answer asks. */
export async function principalOfHandshake(
  authenticator: Authenticator,
  cookies: CookieSessions,
  { auth, headers }: Handshake,
): Promise<Principal> {
  const { token } = auth;
  const bearer = typeof token === 'string' ? `Bearer ${token}` : headers.authorization;
  const session = bearer === undefined ? cookies.read(headers.cookie) : null;
  const principal = session ? await authenticator.bySecretHash(session.subject) : await authenticator.byHeader(bearer);
  return answering(principal);
}

/** The principal, if its role may answer asks; else `auth.wrong_role`. */
export function answering(principal: Principal): Principal {
  if (principal.role !== 'approver' && principal.role !== 'admin') throw new DoorError('auth.wrong_role');
  return principal;
}
