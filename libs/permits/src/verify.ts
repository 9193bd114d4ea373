/** Checks a permit without asking anybody: authentic, not expired, and made for exactly this. It never throws. */
import { verify } from 'node:crypto';
import { hashOf } from './canonical.js';
import { readClaims, type PermitClaims } from './claims.js';
import { publicKeyOf, type PermitKeySet } from './keys.js';
import { PERMIT_TYPE } from './sign.js';

/** What is about to run. Leave out only what whoever runs it cannot know; the rest must be as it was approved. */
export interface PermitUse {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly tool: string;
  /** The arguments as a JSON value. */
  readonly args: unknown;
  readonly cwd: string | null;
  readonly tenant?: string;
  readonly session?: string;
  readonly call?: string;
  /** The path evidence as it stands now; it must be what was judged. */
  readonly evidence?: unknown;
}

/** Why a permit is no permit for this. */
export type PermitRefusal =
  | 'malformed'
  | 'wrong_algorithm'
  | 'unknown_key'
  | 'bad_signature'
  | 'expired'
  | 'not_yet_valid'
  | 'other_tenant'
  | 'other_session'
  | 'other_call'
  | 'other_tool'
  | 'other_arguments'
  | 'other_cwd'
  | 'other_evidence';

export type PermitCheck =
  { readonly ok: true; readonly claims: PermitClaims } | { readonly ok: false; readonly reason: PermitRefusal };

/** Seconds that the clocks of whoever signs and whoever checks may differ. */
const CLOCK_SLACK_S = 5;
const MAX_PERMIT_CHARS = 32_768;

/** INVARIANT: `ok` only when every check passed; a permit says nothing about cancel and kill, only redeeming it does. */
export function verifyPermit(permit: string, keys: PermitKeySet, use: PermitUse): PermitCheck {
  const read = readPermit(permit, keys);
  if (!read.ok) return read;
  const reason = timeProblem(read.claims, use.now) ?? useProblem(read.claims, use);
  return reason === null ? read : refusal(reason);
}

/** Is it authentic? Neither time nor use is looked at. */
export function readPermit(permit: string, keys: PermitKeySet): PermitCheck {
  const parts = partsOf(permit);
  if (parts === null) return refusal('malformed');
  const [head, payload, signature] = parts;
  const kid = keyNamedIn(decode(head));
  if (typeof kid !== 'string') return kid;
  const key = publicKeyOf(keys, kid);
  if (key === null) return refusal('unknown_key');
  const bytes = bytesOf(signature);
  if (bytes === null || !verify(null, Buffer.from(`${head}.${payload}`), key, bytes)) return refusal('bad_signature');
  const claims = readClaims(decode(payload));
  return claims === null ? refusal('malformed') : { ok: true, claims };
}

function partsOf(permit: unknown): [string, string, string] | null {
  if (typeof permit !== 'string' || permit.length > MAX_PERMIT_CHARS) return null;
  const [head, payload, signature, more] = permit.split('.');
  if (head === undefined || payload === undefined || signature === undefined || more !== undefined) return null;
  return [head, payload, signature];
}

function refusal(reason: PermitRefusal): Extract<PermitCheck, { ok: false }> {
  return { ok: false, reason };
}

/** The id of the key that signed, if the header is ours. INVARIANT: the algorithm is never the header's choice. */
function keyNamedIn(header: Record<string, unknown> | null): string | Extract<PermitCheck, { ok: false }> {
  if (header === null) return refusal('malformed');
  const { alg, kid, typ } = header;
  if (alg !== 'EdDSA') return refusal('wrong_algorithm');
  const own = Object.keys(header).length === 3 && typ === PERMIT_TYPE && typeof kid === 'string';
  return own ? kid : refusal('malformed');
}

/** Written so that NaN is expired. */
function timeProblem({ iat, exp }: PermitClaims, now: number): PermitRefusal | null {
  const seconds = now / 1_000;
  if (!(seconds < exp)) return 'expired';
  return seconds >= iat - CLOCK_SLACK_S ? null : 'not_yet_valid';
}

function useProblem(claims: PermitClaims, use: PermitUse): PermitRefusal | null {
  const { tenant = claims.tenant, session = claims.session, call = claims.call } = use;
  const evidence = 'evidence' in use ? hashOrNull(use.evidence) : claims.evidence;
  const checks: readonly (readonly [boolean, PermitRefusal])[] = [
    [tenant === claims.tenant, 'other_tenant'],
    [session === claims.session, 'other_session'],
    [call === claims.call, 'other_call'],
    [use.tool === claims.tool, 'other_tool'],
    [hashOrNull(use.args) === claims.args, 'other_arguments'],
    [use.cwd === claims.cwd, 'other_cwd'],
    [evidence === claims.evidence, 'other_evidence'],
  ];
  return checks.find(([holds]) => !holds)?.[1] ?? null;
}

function hashOrNull(value: unknown): string | null {
  try {
    return hashOf(value);
  } catch {
    return null;
  }
}

function decode(part: string): Record<string, unknown> | null {
  const bytes = bytesOf(part);
  if (bytes === null) return null;
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** Only the one spelling: a signature that could be written in two ways would be two permits. */
function bytesOf(part: string): Buffer | null {
  const bytes = Buffer.from(part, 'base64url');
  return part !== '' && bytes.toString('base64url') === part ? bytes : null;
}
