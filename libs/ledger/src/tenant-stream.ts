/** Changes of a tenant: the row and the event that tells of it, in one transaction, under a raised epoch. */
import { TENANT_STREAM, type TenantEvent } from '@countersign/contracts';
import type pg from 'pg';
import { appendInTransaction } from './append.js';
import { toColumn } from './column-text.js';
import { inTransaction, lockHeads } from './database.js';

/** Runs `work`, which writes rows and returns the events that record it; raises the tenant's epoch when there are any. */
export async function changeTenant<T>(
  pool: pg.Pool,
  tenantId: string,
  work: (client: pg.PoolClient) => Promise<{ result: T; events: readonly TenantEvent[] }>,
): Promise<T> {
  return inTransaction(pool, async (client) => {
    await lockHeads(client, [{ tenantId, streamId: TENANT_STREAM }], [tenantId]);
    const { result, events } = await work(client);
    if (events.length > 0) await appendTenantEvents(client, tenantId, { events, raise: true });
    return result;
  });
}

/** Appends to the tenant's stream, opening it with the first event. The head must be locked, or the tenant new. */
export async function appendTenantEvents(
  client: pg.PoolClient,
  tenantId: string,
  { events, raise }: { events: readonly TenantEvent[]; raise: boolean },
): Promise<void> {
  const { rows } = await client.query<{ seq: string }>({
    name: 'tenant_seq',
    text: 'SELECT seq FROM heads WHERE tenant_id = $1 AND stream_id = $2',
    values: [toColumn(tenantId), TENANT_STREAM],
  });
  const stream = { tenantId, streamId: TENANT_STREAM, expectedSeq: Number(rows[0]?.seq ?? 0), events, state: null };
  const unit = { streams: [stream], epochs: [], unmoved: [], ...(raise ? { raiseEpoch: [tenantId] } : {}) };
  const [stored] = await appendInTransaction(client, [unit]);
  if (!stored?.ok) throw new Error(`the tenant's stream could not be written: ${JSON.stringify(stored)}`);
}
