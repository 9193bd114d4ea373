/** Keys of the doors: from the Authorization header to a Principal, at most 1 s behind a revocation. */
import { DoorError } from '@countersign/contracts';
import { hashSecret } from '@countersign/ledger';
import type { Principal } from './principal.js';

/** Where keys are found by the SHA-256 (hex) of their secret; null for unknown and revoked ones. */
export interface KeySource {
  readonly keys: { find(secretHash: string): Promise<Principal | null> };
}

export interface Authenticator {
  /** Throws DoorError `auth.missing`, `auth.unknown_key` or `unavailable`. */
  byHeader(authorization: string | undefined): Promise<Principal>;
  /** The same for a secret's hash, as a cookie session carries it. */
  bySecretHash(secretHash: string): Promise<Principal>;
}

const CACHE_MS = 1_000;
const CACHE_SIZE = 10_000;
/** Any scheme spelling, one token of visible ASCII. */
const BEARER = /^bearer +([\x21-\x7e]{8,512}) *$/i;
/** A key was sent, whatever it looks like. */
const SENDS_KEY = /^bearer +\S/i;

interface Cached {
  readonly until: number;
  readonly found: Promise<Principal | null>;
}

/**
 * Looks keys up by hash: the secret itself is compared nowhere, so timing tells nothing about it. Unknown keys are cached too,
 * so that a flood of them reaches the database once a second each; failures are not cached.
 */
export function authenticate(source: KeySource, clock: () => number = () => performance.now()): Authenticator {
  const cache = new Map<string, Cached>();
  const find = (hash: string): Promise<Principal | null> => {
    const now = clock();
    const hit = cache.get(hash);
    if (hit && hit.until > now) return hit.found;
    const found = source.keys.find(hash);
    cache.delete(hash);
    cache.set(hash, { until: now + CACHE_MS, found });
    found.catch(() => cache.delete(hash));
    evictOldest(cache);
    return found;
  };
  const bySecretHash = async (hash: string): Promise<Principal> => {
    const principal = await find(hash).catch((cause: unknown) => {
      throw Object.assign(new DoorError('unavailable'), { cause });
    });
    if (!principal) throw new DoorError('auth.unknown_key');
    return principal;
  };
  return {
    byHeader: async (authorization) => {
      const secret = BEARER.exec(authorization ?? '')?.[1];
      if (secret === undefined) {
        throw new DoorError(SENDS_KEY.test(authorization ?? '') ? 'auth.unknown_key' : 'auth.missing');
      }
      return bySecretHash(hashSecret(secret));
    },
    bySecretHash,
  };
}

function evictOldest(cache: Map<string, Cached>): void {
  if (cache.size <= CACHE_SIZE) return;
  const oldest = cache.keys().next();
  if (!oldest.done) cache.delete(oldest.value);
}
