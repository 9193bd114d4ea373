/** The ledger as the servers use it: whatever they write passes redaction first. */
import type { LedgerEvent } from '@countersign/contracts';
import type { AppendUnit, Ledger } from '@countersign/ledger';
import { createRedactor } from '@countersign/redaction';
import { redactCommand, redactTenantCommand } from './redact-command.js';
import type { VaultKeys } from './vault-keys.js';

/**
 * INVARIANT: no text that somebody sent enters the ledger through this object with a secret in it that the rules know. Worker
 * rounds, which redact call by call so that they can judge both forms, append to the ledger itself.
 */
export function redactingLedger(ledger: Ledger, keys: Pick<VaultKeys, 'tag'>): Ledger {
  const redactor = () => createRedactor(keys.tag);
  const clean = (units: readonly AppendUnit[]): AppendUnit[] => units.map((unit) => cleanUnit(unit, keys));
  const text = (given: string): string => redactor().text(given);
  return {
    ...ledger,
    append: (units) => ledger.append(clean(units)),
    withLockedHeads: (heads, work) =>
      ledger.withLockedHeads(heads, (tx) => work({ ...tx, append: (units) => tx.append(clean(units)) })),
    execute: async (target, command, vault) => {
      const cleaned = redactCommand(command, redactor());
      if (!cleaned.ok) return { ok: false, code: 'request.invalid', message: cleaned.message };
      return ledger.execute(target, cleaned.command, vault);
    },
    executeTenant: async (tenantId, command) => {
      const cleaned = redactTenantCommand(command, redactor());
      if (!cleaned.ok) return { ok: false, code: 'request.invalid', message: cleaned.message };
      return ledger.executeTenant(tenantId, cleaned.command);
    },
    idempotency: {
      begin: (request) => ledger.idempotency.begin({ ...request, key: text(request.key) }),
      finish: (request, { status, response }) =>
        ledger.idempotency.finish({ ...request, key: text(request.key) }, { status, response: text(response) }),
      forget: (request) => ledger.idempotency.forget({ ...request, key: text(request.key) }),
    },
  };
}

function cleanUnit(unit: AppendUnit, { tag }: Pick<VaultKeys, 'tag'>): AppendUnit {
  const redactor = createRedactor(tag);
  return {
    ...unit,
    streams: unit.streams.map((stream) => ({
      ...stream,
      events: stream.events.map((event) => redactor.json(event) as LedgerEvent),
    })),
  };
}
