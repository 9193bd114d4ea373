/** Keeps calls secret while they lie in the queue: AES-256-GCM with a key that only gateways and workers know. */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

/** `seal` gives base64 of key id (1 byte), nonce (12), tag (16) and ciphertext; `open` throws SealBroken on anything else. */
export interface Seal {
  seal(text: string): string;
  open(sealed: string): string;
}

/** The sealed text was made with an unknown key, was cut, or was changed. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

interface SealKey {
  readonly id: number;
  readonly key: Buffer;
}

/**
 * A seal from one or more base64 keys of 32 bytes. It seals with the first and opens with any, so a key rotates by putting the
 * new one in front everywhere, and taking the old one away once its jobs are done.
 */
export function createSeal(keys: string | readonly string[]): Seal {
  const known = (typeof keys === 'string' ? [keys] : keys).map(readKey);
  const first = known[0];
  if (!first) throw new Error('a seal needs at least one key');
  return { seal: (text) => sealWith(first, text), open: (sealed) => openWith(known, sealed) };
}

/** A fresh random key in base64. */
export function newSealKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

function readKey(text: string): SealKey {
  const key = Buffer.from(text, 'base64');
  if (key.length !== KEY_BYTES) throw new Error(`a seal key must be base64 of ${KEY_BYTES} bytes`);
  return { id: createHash('sha256').update(key).digest()[0] ?? 0, key };
}

function sealWith({ id, key }: SealKey, text: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.of(id));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(id), nonce, cipher.getAuthTag(), body]).toString('base64');
}

function openWith(known: readonly SealKey[], sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  if (bytes.length < HEADER_BYTES) throw new SealBroken('the sealed text is too short');
  // Two keys may share an id byte, so every fitting one is tried.
  for (const { key } of known.filter((item) => item.id === bytes[0])) {
    const text = tryOpen(key, bytes);
    if (text !== null) return text;
  }
  throw new SealBroken('the sealed text was made with another key or was changed');
}

function tryOpen(key: Buffer, bytes: Buffer): string | null {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 1 + NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(bytes.subarray(0, 1));
  decipher.setAuthTag(bytes.subarray(1 + NONCE_BYTES, HEADER_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(HEADER_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

/**
 * A check value of each key, in their order: equal for equal keys, and nothing of the key can be told from it. For comparing
 * what two processes were given.
 */
export function sealChecks(keys: string | readonly string[]): string[] {
  const known = (typeof keys === 'string' ? [keys] : keys).map(readKey);
  return known.map(({ key }) => createHmac('sha256', key).update('countersign seal check').digest('hex').slice(0, 16));
}
