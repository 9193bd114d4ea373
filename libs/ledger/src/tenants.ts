/** Tenants: the organisations that everything belongs to. */
import { inTransaction, type Database } from './database.js';
import { fromColumn, toColumn } from './column-text.js';
import { appendTenantEvents } from './tenant-stream.js';

export interface TenantView {
  readonly id: string;
  readonly name: string;
  readonly epoch: number;
}

export interface Tenants {
  /** Makes the tenant with its stream if it is missing; the name of an existing one stays. */
  ensure(tenant: { id: string; name: string }): Promise<TenantView>;
  get(tenantId: string): Promise<TenantView | null>;
}

export function createTenants(db: Database): Tenants {
  const get = async (tenantId: string): Promise<TenantView | null> => {
    const row = await db.prisma.tenant.findUnique({ where: { id: toColumn(tenantId) } });
    return row && { id: fromColumn(row.id), name: fromColumn(row.name), epoch: Number(row.epoch) };
  };
  return {
    get,
    ensure: async ({ id, name }) => {
      await inTransaction(db.pool, async (client) => {
        const made = await client.query('INSERT INTO tenants (id, name) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
          toColumn(id),
          toColumn(name),
        ]);
        if (made.rowCount === 0) return;
        const event = { type: 'TenantCreated', version: 1, body: { name } } as const;
        await appendTenantEvents(client, id, { events: [event], raise: false });
      });
      const tenant = await get(id);
      if (tenant === null) throw new Error(`tenant \`${id}\` vanished`);
      return tenant;
    },
  };
}
