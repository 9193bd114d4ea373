/** Reads on in an output that was too long for the model, page by page. */
import { DoorError } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import { OriginalUnreadable, type VaultKeys } from '@countersign/server';
import { z } from 'zod';
import { OUTPUT_KIND } from './results.js';
import { lengthOf, pageOf } from './shown-text.js';

/** Offsets and lengths in code points. `total`: of what the tool gave; `kept`: of what can be read here. */
export interface OutputPage {
  readonly id: string;
  readonly offset: number;
  readonly text: string;
  /** Offset of the next page; null: this was the last. */
  readonly next: number | null;
  readonly total: number;
  readonly kept: number;
}

export interface KeptOutputDeps {
  readonly vault: Pick<Ledger['vault'], 'get'>;
  readonly vaultKeys: VaultKeys;
}

const keptSchema = z.object({ text: z.string(), total: z.number().int() });

/** Throws `output.unknown` when none is kept, `original.unreadable` when its key is not in the ring. */
export async function readKeptOutput(
  call: { readonly tenantId: string; readonly callId: string },
  page: { readonly offset: number; readonly limit: number },
  { vault, vaultKeys }: KeptOutputDeps,
): Promise<OutputPage> {
  const item = await vault.get(call.tenantId, call.callId, OUTPUT_KIND);
  if (item === null) throw new DoorError('output.unknown');
  const { text, total } = keptSchema.parse(JSON.parse(open(item, vaultKeys)));
  const { offset } = page;
  return { id: call.callId, offset, ...pageOf(text, offset, page.limit), total, kept: lengthOf(text) };
}

function open(item: Parameters<VaultKeys['open']>[0], vaultKeys: VaultKeys): string {
  try {
    return vaultKeys.open(item);
  } catch (error) {
    if (error instanceof OriginalUnreadable) throw new DoorError('original.unreadable');
    throw error;
  }
}
