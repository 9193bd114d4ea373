/** The key ring of the vault: seals originals, opens them with whatever key sealed them, and tags secrets. */
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { Tag } from '@countersign/redaction';

/** Which original is meant. A sealed text opens only in the place that it was sealed for. */
export interface VaultPlace {
  readonly tenantId: string;
  readonly callId: string;
  /** `arguments`, `final-arguments`, `edited-arguments` or `output`. */
  readonly kind: string;
}

/** A sealed original, as the ledger's vault takes it. `size`: bytes of what was sealed. */
export interface SealedOriginal extends VaultPlace {
  readonly keyId: string;
  readonly sealed: string;
  readonly size: number;
}

export interface VaultKeys {
  /** The key that seals now. */
  readonly keyId: string;
  readonly keyIds: readonly string[];
  /** Equal secrets get equal tags as long as the same key seals. */
  readonly tag: Tag;
  seal(place: VaultPlace, text: string): SealedOriginal;
  /** Throws OriginalUnreadable for a key that is not in the ring, and for a text that was changed or moved. */
  open(item: VaultPlace & { readonly keyId: string; readonly sealed: string }): string;
}

/** The original cannot be opened; the message names the key, never the text. */
export class OriginalUnreadable extends Error {
  override readonly name = 'OriginalUnreadable';
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Hex digits of a secret's tag. */
const TAG_DIGITS = 12;

interface RingKey {
  readonly id: string;
  readonly key: Buffer;
}

/**
 * A ring from base64 keys of 32 bytes, the one that seals first. To rotate, put a new key in front and keep the old ones until
 * `countersign vault rotate` has sealed everything anew. Throws for a key of another length and for an empty ring.
 */
export function createVaultKeys(keys: readonly string[]): VaultKeys {
  const ring = keys.map(readKey);
  const first = ring[0];
  if (first === undefined) throw new Error('the vault needs at least one key');
  const tagKey = Buffer.from(hkdfSync('sha256', first.key, Buffer.alloc(0), 'countersign secret tags', KEY_BYTES));
  return {
    keyId: first.id,
    keyIds: ring.map(({ id }) => id),
    tag: (secret) => createHmac('sha256', tagKey).update(secret).digest('hex').slice(0, TAG_DIGITS),
    seal: (place, text) => sealWith(first, place, text),
    open: (item) => openWith(ring, item),
  };
}

/** A fresh random key in base64. */
export function newVaultKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

/** The keys that were given; without any, new ones that end with the process: what they seal cannot be read later. */
export function vaultKeysOrNew(keys: VaultKeys | undefined): VaultKeys {
  return keys ?? createVaultKeys([newVaultKey()]);
}

function readKey(text: string): RingKey {
  const key = Buffer.from(text, 'base64');
  if (key.length !== KEY_BYTES) throw new Error(`a vault key must be base64 of ${KEY_BYTES} bytes`);
  const id = createHash('sha256').update('countersign vault key').update(key).digest('hex').slice(0, 16);
  return { id, key };
}

function sealWith({ id, key }: RingKey, { tenantId, callId, kind }: VaultPlace, text: string): SealedOriginal {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(boundTo({ tenantId, callId, kind }));
  const plain = Buffer.from(text, 'utf8');
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  const sealed = Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
  return { tenantId, callId, kind, keyId: id, sealed, size: plain.length };
}

function openWith(ring: readonly RingKey[], item: VaultPlace & { keyId: string; sealed: string }): string {
  const found = ring.find(({ id }) => id === item.keyId);
  if (found === undefined) throw new OriginalUnreadable(`the vault key ${item.keyId} is not in the ring`);
  const bytes = Buffer.from(item.sealed, 'base64');
  try {
    const decipher = createDecipheriv('aes-256-gcm', found.key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(boundTo(item));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    throw new OriginalUnreadable(`an original sealed with the vault key ${item.keyId} was changed`);
  }
}

function boundTo({ tenantId, callId, kind }: VaultPlace): Buffer {
  return Buffer.from(JSON.stringify([tenantId, callId, kind]), 'utf8');
}
