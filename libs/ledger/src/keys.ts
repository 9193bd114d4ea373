/** Keys of the doors. Only the SHA-256 of a secret is ever stored. */
import { hash as digest, randomBytes, randomUUID } from 'node:crypto';
import type { Mode, Right, Role } from '@countersign/contracts';
import type pg from 'pg';
import { fromColumn, fromColumnOrNull, toColumn, toColumnOrNull } from './column-text.js';
import type { Database } from './database.js';
import { changeTenant } from './tenant-stream.js';

/** A key with what a door needs to know of whoever holds it. */
export interface KeyView {
  readonly keyId: string;
  readonly tenantId: string;
  readonly role: Role;
  readonly label: string;
  readonly personId: string | null;
  readonly personName: string | null;
  /** Name of the policy of sessions that this key opens. */
  readonly policy: string;
  readonly mode: Mode | null;
  /** Folders that its sessions may use; empty: the first working directory. */
  readonly roots: readonly string[];
  readonly home: string | null;
  readonly sameHost: boolean;
  readonly rights: readonly Right[];
  /** ISO-8601 UTC. */
  readonly createdAt: string;
  readonly revokedAt: string | null;
}

export interface NewKey {
  readonly tenantId: string;
  readonly role: Role;
  readonly label?: string;
  readonly personId?: string | null;
  readonly policy?: string;
  readonly mode?: Mode | null;
  readonly roots?: readonly string[];
  readonly home?: string | null;
  readonly sameHost?: boolean;
  readonly rights?: readonly Right[];
  readonly by: string;
  /** A given secret is hashed as it is; absent: one is made. */
  readonly secret?: string;
}

export interface Keys {
  /** The key with this SHA-256 (hex) of its secret, unless it was revoked. */
  find(secretHash: string): Promise<KeyView | null>;
  /** The secret is in this answer and nowhere else. */
  create(key: NewKey): Promise<{ key: KeyView; secret: string }>;
  /** False when there is no such unrevoked key. */
  revoke(key: { tenantId: string; keyId: string; by: string }): Promise<boolean>;
  list(tenantId: string): Promise<KeyView[]>;
}

interface Row {
  readonly id: string;
  readonly tenant_id: string;
  readonly role: string;
  readonly label: string;
  readonly person_id: string | null;
  readonly person_name: string | null;
  readonly policy: string;
  readonly mode: string | null;
  readonly roots: string[];
  readonly home: string | null;
  readonly same_host: boolean;
  readonly rights: string[];
  readonly created_at: Date;
  readonly revoked_at: Date | null;
}

const SELECT = `SELECT k.*, p.name AS person_name FROM api_keys k
  LEFT JOIN people p ON p.id = k.person_id AND p.tenant_id = k.tenant_id`;

/** SHA-256 of a secret, in hex. Secrets are random and long, so a plain hash does. */
export function hashSecret(secret: string): string {
  return digest('sha256', secret, 'hex');
}

export function createKeys(db: Database): Keys {
  return {
    find: async (secretHash) => {
      const text = `${SELECT} WHERE k.secret_hash = $1 AND k.revoked_at IS NULL`;
      const { rows } = await db.pool.query<Row>({ name: 'key_find', text, values: [secretHash] });
      return rows[0] ? viewOf(rows[0]) : null;
    },
    create: (key) => changeTenant(db.pool, key.tenantId, (client) => create(client, key)),
    revoke: (key) => changeTenant(db.pool, key.tenantId, (client) => revoke(client, key)),
    list: async (tenantId) => {
      const text = `${SELECT} WHERE k.tenant_id = $1 ORDER BY k.created_at, k.id`;
      const { rows } = await db.pool.query<Row>(text, [toColumn(tenantId)]);
      return rows.map(viewOf);
    },
  };
}

async function create(client: pg.PoolClient, key: NewKey) {
  const keyId = `key_${randomUUID()}`;
  const secret = key.secret ?? `cs_${key.role}_${randomBytes(24).toString('base64url')}`;
  const text = `INSERT INTO api_keys (id, tenant_id, secret_hash, role, label, person_id, policy, mode, roots, home, same_host, rights, created_by)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`;
  await client.query(text, [...identity(keyId, key, secret), ...defaults(key), toColumn(key.by)]);
  const { rows } = await client.query<Row>(`${SELECT} WHERE k.id = $1`, [keyId]);
  if (!rows[0]) throw new Error('the key was not stored');
  const { rights = [] } = key;
  const held = rights.length === 0 ? {} : { rights: [...rights] };
  const body = { keyId, role: key.role, ...held, change: 'made' as const, by: key.by };
  return { result: { key: viewOf(rows[0]), secret }, events: [{ type: 'KeyChanged', version: 1, body } as const] };
}

function identity(keyId: string, key: NewKey, secret: string): unknown[] {
  const person = toColumnOrNull(key.personId);
  return [keyId, toColumn(key.tenantId), hashSecret(secret), key.role, toColumn(key.label ?? key.role), person];
}

function defaults(key: NewKey): unknown[] {
  const roots = (key.roots ?? []).map(toColumn);
  return [
    toColumn(key.policy ?? 'default'),
    key.mode ?? null,
    roots,
    toColumnOrNull(key.home),
    key.sameHost ?? false,
    key.rights ?? [],
  ];
}

async function revoke(client: pg.PoolClient, { tenantId, keyId, by }: { tenantId: string; keyId: string; by: string }) {
  const { rows } = await client.query<{ role: string }>(
    `UPDATE api_keys SET revoked_at = clock_timestamp()
     WHERE tenant_id = $1 AND id = $2 AND revoked_at IS NULL RETURNING role`,
    [toColumn(tenantId), toColumn(keyId)],
  );
  if (!rows[0]) return { result: false, events: [] };
  const body = { keyId, role: rows[0].role, change: 'revoked' as const, by };
  return { result: true, events: [{ type: 'KeyChanged', version: 1, body } as const] };
}

function viewOf(row: Row): KeyView {
  return {
    keyId: row.id,
    tenantId: fromColumn(row.tenant_id),
    role: row.role as Role,
    label: fromColumn(row.label),
    personId: fromColumnOrNull(row.person_id),
    personName: fromColumnOrNull(row.person_name),
    policy: fromColumn(row.policy),
    mode: row.mode as Mode | null,
    roots: row.roots.map(fromColumn),
    home: fromColumnOrNull(row.home),
    sameHost: row.same_host,
    rights: row.rights as Right[],
    createdAt: row.created_at.toISOString(),
    revokedAt: row.revoked_at?.toISOString() ?? null,
  };
}
