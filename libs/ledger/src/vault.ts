/** Sealed originals of what was redacted. They are stored by the append of the event that they belong to. */
import type pg from 'pg';
import { fromColumn, toColumn } from './column-text.js';
import type { VaultEntry } from './types.js';

/** A sealed original as it is kept; `createdAt` ISO-8601 UTC. */
export interface VaultItem extends VaultEntry {
  readonly createdAt: string;
}

/** Which original is meant. */
export type VaultKey = Pick<VaultEntry, 'tenantId' | 'callId' | 'kind'>;

export interface Vault {
  /** Null: there is none, or its retention has passed. */
  get(tenantId: string, callId: string, kind: string): Promise<VaultItem | null>;
  /** Originals of all tenants that are not sealed by `keyId`, in a stable order after `after`: what a key rotation re-seals. */
  sealedByOthers(keyId: string, after: VaultKey | null, limit: number): Promise<VaultItem[]>;
  /** Puts a new seal in the place of `from`'s; false when the original is gone or was re-sealed meanwhile. */
  reseal(key: VaultKey, from: string, to: { keyId: string; sealed: string }): Promise<boolean>;
}

interface Row {
  readonly tenant_id: string;
  readonly call_id: string;
  readonly kind: string;
  readonly key_id: string;
  readonly size: string;
  readonly sealed: string;
  readonly created_at: Date;
}

export function createVault({ pool }: { readonly pool: pg.Pool }): Vault {
  return {
    get: async (tenantId, callId, kind) => {
      const text = 'SELECT * FROM vault WHERE tenant_id = $1 AND call_id = $2 AND kind = $3';
      const values = [toColumn(tenantId), toColumn(callId), kind];
      const { rows } = await pool.query<Row>({ name: 'vault_get', text, values });
      return rows[0] ? itemOf(rows[0]) : null;
    },
    sealedByOthers: async (keyId, after, limit) => {
      const text = `SELECT * FROM vault WHERE key_id <> $1 AND (tenant_id, call_id, kind) > ($2, $3, $4)
        ORDER BY tenant_id, call_id, kind LIMIT $5`;
      const from = after ? [toColumn(after.tenantId), toColumn(after.callId), after.kind] : ['', '', ''];
      const { rows } = await pool.query<Row>(text, [toColumn(keyId), ...from, limit]);
      return rows.map(itemOf);
    },
    reseal: async ({ tenantId, callId, kind }, from, { keyId, sealed }) => {
      const text = `UPDATE vault SET key_id = $5, sealed = $6
        WHERE tenant_id = $1 AND call_id = $2 AND kind = $3 AND key_id = $4`;
      const values = [toColumn(tenantId), toColumn(callId), kind, toColumn(from), toColumn(keyId), toColumn(sealed)];
      return (await pool.query(text, values)).rowCount === 1;
    },
  };
}

function itemOf(row: Row): VaultItem {
  return {
    tenantId: fromColumn(row.tenant_id),
    callId: fromColumn(row.call_id),
    kind: row.kind,
    keyId: fromColumn(row.key_id),
    size: Number(row.size),
    sealed: fromColumn(row.sealed),
    createdAt: row.created_at.toISOString(),
  };
}
