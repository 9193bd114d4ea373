/** Puts the secrets back into rewritten arguments, at the last step before the agent runs them. */
import type { CallOutcome } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import { OriginalUnreadable, type VaultKeys } from '@countersign/server';

export type RestoreInput = (outcome: CallOutcome, tenantId: string) => Promise<CallOutcome>;

export interface RestoreDeps {
  readonly vault: Pick<Ledger['vault'], 'get'>;
  readonly vaultKeys: Pick<VaultKeys, 'open'>;
}

/** Kinds of the vault's entries that hold rewritten arguments; what people edited replaces what hooks made. */
const REWRITTEN_KINDS = ['edited-arguments', 'final-arguments'] as const;
const HOLDS_MARKER = /\[redacted:[a-z0-9-]+:[0-9a-f]+\]/;

/**
 * What was stored of rewritten arguments is redacted; the agent gets them whole. INVARIANT: arguments that cannot be restored are
 * not allowed to run in part.
 */
export function createRestoreInput({ vault, vaultKeys }: RestoreDeps): RestoreInput {
  return async (outcome, tenantId) => {
    if (outcome.updatedInput === undefined || !HOLDS_MARKER.test(JSON.stringify(outcome.updatedInput))) return outcome;
    for (const kind of REWRITTEN_KINDS) {
      const item = await vault.get(tenantId, outcome.id, kind);
      if (item === null) continue;
      const text = opened(item, vaultKeys);
      return text === null ? denied(outcome) : { ...outcome, updatedInput: JSON.parse(text) as unknown };
    }
    return denied(outcome);
  };
}

function opened(item: Parameters<VaultKeys['open']>[0], keys: Pick<VaultKeys, 'open'>): string | null {
  try {
    return keys.open(item);
  } catch (error) {
    if (error instanceof OriginalUnreadable) return null;
    throw error;
  }
}

function denied({ updatedInput: _input, ...outcome }: CallOutcome): CallOutcome {
  const reason = 'the arguments that were approved hold a redacted secret whose original cannot be read';
  return { ...outcome, decision: 'deny', ruleId: 'input.unreadable', reason };
}
