/** Policies: immutable versions under a name. */
import { createHash } from 'node:crypto';
import { canonicalJson, policyDocumentSchema, type PolicyDocument } from '@countersign/contracts';
import type pg from 'pg';
import { fromColumn, toColumn } from './column-text.js';
import type { Database } from './database.js';
import { changeTenant } from './tenant-stream.js';

export interface PolicyVersion {
  readonly name: string;
  readonly version: number;
  /** SHA-256 of the canonical document, in hex. */
  readonly hash: string;
  readonly document: PolicyDocument;
  readonly publishedBy: string;
  /** ISO-8601 UTC. */
  readonly publishedAt: string;
}

export interface Policies {
  /** The newest version with the tenant's epoch, read together; null when the name is unknown. */
  current(tenantId: string, name: string): Promise<(PolicyVersion & { epoch: number }) | null>;
  /** Publishes the next version, unless the newest one is equal. `document` must have been validated. */
  publish(policy: { tenantId: string; name: string; document: PolicyDocument; by: string }): Promise<PolicyVersion>;
  byHash(tenantId: string, hash: string): Promise<PolicyVersion | null>;
  versions(tenantId: string, name: string): Promise<Omit<PolicyVersion, 'document'>[]>;
  names(tenantId: string): Promise<string[]>;
}

interface Row {
  readonly name: string;
  readonly version: number;
  readonly hash: string;
  readonly document: string;
  readonly published_by: string;
  readonly published_at: Date;
}

const COLUMNS = 'p.name, p.version, p.hash, p.document, p.published_by, p.published_at';

export function createPolicies(db: Database): Policies {
  return {
    current: (tenantId, name) => current(db.pool, tenantId, name),
    publish: (policy) => changeTenant(db.pool, policy.tenantId, (client) => publish(client, policy)),
    byHash: async (tenantId, hash) => {
      const text = `SELECT ${COLUMNS} FROM policies p WHERE tenant_id = $1 AND hash = $2 ORDER BY name, version LIMIT 1`;
      const { rows } = await db.pool.query<Row>({ name: 'policy_by_hash', text, values: [toColumn(tenantId), hash] });
      return rows[0] ? viewOf(rows[0]) : null;
    },
    versions: async (tenantId, name) => {
      const where = { tenantId: toColumn(tenantId), name: toColumn(name) };
      const found = await db.prisma.policy.findMany({ where, orderBy: { version: 'desc' }, omit: { document: true } });
      return found.map((row) => ({
        name,
        version: row.version,
        hash: row.hash,
        publishedBy: fromColumn(row.publishedBy),
        publishedAt: row.publishedAt.toISOString(),
      }));
    },
    names: async (tenantId) => {
      const where = { tenantId: toColumn(tenantId) };
      const found = await db.prisma.policy.findMany({
        where,
        distinct: ['name'],
        orderBy: { name: 'asc' },
        select: { name: true },
      });
      return found.map((row) => fromColumn(row.name));
    },
  };
}

/** SHA-256 of the canonical form of a document, in hex. */
export function policyHash(document: PolicyDocument): string {
  return createHash('sha256').update(canonicalJson(document)).digest('hex');
}

async function current(
  pool: pg.Pool,
  tenantId: string,
  name: string,
): Promise<(PolicyVersion & { epoch: number }) | null> {
  const text = `SELECT ${COLUMNS}, t.epoch FROM policies p JOIN tenants t ON t.id = p.tenant_id
    WHERE p.tenant_id = $1 AND p.name = $2 ORDER BY p.version DESC LIMIT 1`;
  const values = [toColumn(tenantId), toColumn(name)];
  const { rows } = await pool.query<Row & { epoch: string }>({ name: 'policy_current', text, values });
  const [row] = rows;
  return row ? { ...viewOf(row), epoch: Number(row.epoch) } : null;
}

async function publish(
  client: pg.PoolClient,
  { tenantId, name, document, by }: { tenantId: string; name: string; document: PolicyDocument; by: string },
) {
  const text = `SELECT ${COLUMNS} FROM policies p WHERE tenant_id = $1 AND name = $2 ORDER BY version DESC LIMIT 1`;
  const { rows } = await client.query<Row>(text, [toColumn(tenantId), toColumn(name)]);
  const hash = policyHash(document);
  if (rows[0]?.hash === hash) return { result: viewOf(rows[0]), events: [] };
  const version = (rows[0]?.version ?? 0) + 1;
  const made = await client.query<Row>(
    `INSERT INTO policies AS p (tenant_id, name, version, document, hash, published_by)
     VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${COLUMNS}`,
    [toColumn(tenantId), toColumn(name), version, canonicalJson(document), hash, toColumn(by)],
  );
  const [row] = made.rows;
  if (!row) throw new Error(`policy \`${name}\` was not stored`);
  const event = { type: 'PolicyPublished', version: 1, body: { name, version, hash, by } } as const;
  return { result: viewOf(row), events: [event] };
}

function viewOf(row: Row): PolicyVersion {
  return {
    name: fromColumn(row.name),
    version: row.version,
    hash: row.hash,
    document: policyDocumentSchema.parse(JSON.parse(row.document)),
    publishedBy: fromColumn(row.published_by),
    publishedAt: row.published_at.toISOString(),
  };
}
