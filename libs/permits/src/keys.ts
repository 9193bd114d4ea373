/** Ed25519 keys of permits: a private one signs, public ones are published as a JSON Web Key Set (RFC 7517, 8037). */
import { createHash, createPrivateKey, createPublicKey, randomBytes, type KeyObject } from 'node:crypto';

/** A public key as it is published. `kid` is its thumbprint (RFC 7638). */
export interface PermitJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  /** The 32 bytes of the public key, base64url. */
  readonly x: string;
  readonly kid: string;
  readonly alg: 'EdDSA';
  readonly use: 'sig';
}

export interface PermitKeySet {
  readonly keys: readonly PermitJwk[];
}

/** Signs permits. The private key does not leave it. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly jwk: PermitJwk;
}

const SEED_BYTES = 32;
/** An Ed25519 private key in PKCS #8 is this and the 32 bytes of its seed. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A fresh seed in base64: keep it secret. */
export function newPermitSeed(): string {
  return randomBytes(SEED_BYTES).toString('base64');
}

/** The key of a seed in base64. Throws when it is not 32 bytes. */
export function signingKeyOf(seed: string): SigningKey {
  const bytes = Buffer.from(seed, 'base64');
  if (bytes.length !== SEED_BYTES) throw new Error(`a permit key must be base64 of ${SEED_BYTES} bytes`);
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, bytes]), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const kid = thumbprintOf(x);
  return { kid, privateKey, jwk: { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' } };
}

/** The published key of this id, ready to verify with; null when there is none, or it is no Ed25519 key of that id. */
export function publicKeyOf(keys: PermitKeySet, kid: string): KeyObject | null {
  const found = listOf(keys).find((key) => key.kid === kid);
  if (found === undefined || found.kty !== 'OKP' || found.crv !== 'Ed25519') return null;
  if (typeof found.x !== 'string' || thumbprintOf(found.x) !== kid) return null;
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: found.x }, format: 'jwk' });
  } catch {
    return null;
  }
}

/** The set is foreign JSON: an error's body, or nothing at all, holds no key. */
function listOf(keys: unknown): Partial<Record<keyof PermitJwk, unknown>>[] {
  if (typeof keys !== 'object' || keys === null || !('keys' in keys) || !Array.isArray(keys.keys)) return [];
  return keys.keys.filter((key) => typeof key === 'object' && key !== null) as Partial<PermitJwk>[];
}

function thumbprintOf(x: string): string {
  return createHash('sha256')
    .update(`{"crv":"Ed25519","kty":"OKP","x":${JSON.stringify(x)}}`)
    .digest('base64url');
}
