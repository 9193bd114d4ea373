/** After a key rotation: seals with the new key whatever older keys sealed, so that those can be taken out of the ring. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Ledger, VaultKey } from '@countersign/ledger';
import { OriginalUnreadable, type VaultKeys } from '@countersign/server';

export interface ResealDeps {
  readonly vault: Pick<Ledger['vault'], 'sealedByOthers' | 'reseal'>;
  readonly keys: VaultKeys;
  /** Hears of originals whose key is gone, once for each run. */
  readonly onUnreadable: (count: number) => void;
}

const PAGE = 100;
/** Between two pages, so that nobody else waits for the database. */
const PAUSE_MS = 50;

/** Gives how many were sealed anew. Several workers may do it at once: each original is changed by the first. */
export async function resealVault({ vault, keys, onUnreadable }: ResealDeps, signal: AbortSignal): Promise<number> {
  let after: VaultKey | null = null;
  let done = 0;
  let unreadable = 0;
  while (!signal.aborted) {
    const page = await vault.sealedByOthers(keys.keyId, after, PAGE);
    for (const item of page) {
      const text = opened(keys, item);
      if (text === null) unreadable += 1;
      else if (await vault.reseal(item, item.keyId, keys.seal(item, text))) done += 1;
    }
    after = page.at(-1) ?? null;
    if (after === null || page.length < PAGE) break;
    await pause(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
  if (unreadable > 0) onUnreadable(unreadable);
  return done;
}

function opened(keys: VaultKeys, item: Parameters<VaultKeys['open']>[0]): string | null {
  try {
    return keys.open(item);
  } catch (error) {
    if (error instanceof OriginalUnreadable) return null;
    throw error;
  }
}
