/** Who may read the metrics: they hold no secret, but they tell how busy a house is. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface MetricsReader {
  /** Address of the other end of the connection. */
  readonly remoteAddress: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;
/** A page whose name was turned to our address sends its own name. */
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;
/** A proxy on this host speaks for somebody elsewhere. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];

/** `open`: read without a key. `token`: the given token fits. `closed`: only with a key of auditor or admin, where keys are known. */
export type MetricsAccess = 'open' | 'token' | 'closed';

/** Where a token is set it is asked of everybody, the loopback too. */
export function metricsAccess({ remoteAddress, headers }: MetricsReader, token: string | null): MetricsAccess {
  if (token !== null) return sameSecret(headers.authorization, `Bearer ${token}`) ? 'token' : 'closed';
  const forwarded = FORWARDED.some((name) => headers[name] !== undefined);
  const near = LOOPBACK.test(remoteAddress ?? '') && LOOPBACK_HOST.test(headers.host ?? '');
  return near && !forwarded ? 'open' : 'closed';
}

function sameSecret(given: string | undefined, wanted: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return given !== undefined && timingSafeEqual(hash(given), hash(wanted));
}
