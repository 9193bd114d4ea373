/** Makes a permit: a compact JSON Web Signature (RFC 7515) with EdDSA. */
import { sign } from 'node:crypto';
import { canonicalText } from './canonical.js';
import { readClaims, type PermitClaims } from './claims.js';
import type { SigningKey } from './keys.js';

export const PERMIT_TYPE = 'countersign-permit';

/** Throws for claims that no verifier would take: that is a bug of whoever made them. */
export function signPermit(claims: PermitClaims, key: SigningKey): string {
  if (readClaims(claims) === null) throw new TypeError('these are no claims of a permit');
  const head = encode({ alg: 'EdDSA', kid: key.kid, typ: PERMIT_TYPE });
  const signed = `${head}.${encode(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), key.privateKey).toString('base64url')}`;
}

function encode(value: unknown): string {
  return Buffer.from(canonicalText(value)).toString('base64url');
}
