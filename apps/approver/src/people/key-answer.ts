/** How a key is shown: with its secret once, when it is made. */
import type { KeyView } from '@countersign/ledger';

/** The answer to making a key. */
export type NewKeyAnswer = Omit<KeyView, 'tenantId' | 'revokedAt'> & { readonly secret: string };

/** The new key with its secret, which no later request can read. */
export function newKeyAnswer({ key, secret }: { key: KeyView; secret: string }): NewKeyAnswer {
  const { tenantId: _tenant, revokedAt: _revoked, ...shown } = key;
  return { ...shown, secret };
}
