/** One command on a whole tenant: decided and stored under the tenant's lock, so that every later decision rests on it. */
import { decideTenantCommand, evolveTenant, type TenantCommand, type TenantCommandResult } from '@countersign/approval';
import { TENANT_STREAM, type TenantEvent } from '@countersign/contracts';
import type pg from 'pg';
import { appendInTransaction } from './append.js';
import { toColumn } from './column-text.js';
import { inTransaction, lockHeads } from './database.js';
import { isoTime } from './event-rows.js';
import { readTenantState } from './read-state.js';
import { usedUpGrants } from './used-up.js';

export type TenantExecuteResult =
  | {
      readonly ok: true;
      /** Empty: it was so already. */
      readonly events: readonly TenantEvent[];
      /** The tenant's epoch after the command: whoever loads it or a later one knows of it. */
      readonly epoch: number;
    }
  | Extract<TenantCommandResult, { ok: false }>;

interface Loaded {
  readonly epoch: string | null;
  readonly seq: string | null;
  readonly state: string | null;
  readonly now: string;
}

const LOAD_TENANT = {
  name: 'load_tenant',
  text: `SELECT t.epoch, h.seq, h.state, ${isoTime('clock_timestamp()')} AS now
    FROM tenants t LEFT JOIN heads h ON h.tenant_id = t.id AND h.stream_id = '${TENANT_STREAM}' WHERE t.id = $1`,
};

/** Throws for a tenant that does not exist, and when the database is dead. */
export async function executeTenant(
  pool: pg.Pool,
  tenantId: string,
  command: TenantCommand,
): Promise<TenantExecuteResult> {
  return inTransaction(pool, async (client) => {
    await lockHeads(client, [{ tenantId, streamId: TENANT_STREAM }], [tenantId]);
    const { rows } = await client.query<Loaded>({ ...LOAD_TENANT, values: [toColumn(tenantId)] });
    const [loaded] = rows;
    if (!loaded) throw new Error(`there is no tenant \`${tenantId}\``);
    const state = readTenantState(loaded.state);
    const usedUp = await usedUpGrants(client, tenantId, state);
    const decided = decideTenantCommand(state, command, { now: loaded.now, usedUp });
    if (!decided.ok) return decided;
    const { events } = decided;
    if (events.length === 0) return { ok: true, events, epoch: Number(loaded.epoch) };
    const after = events.reduce(evolveTenant, state);
    const head = { tenantId, streamId: TENANT_STREAM, expectedSeq: Number(loaded.seq ?? 0) };
    const unit = { streams: [{ ...head, events, state: after }], epochs: [], unmoved: [], raiseEpoch: [tenantId] };
    const [stored] = await appendInTransaction(client, [unit]);
    if (!stored?.ok) throw new Error(`the tenant's stream could not be written: ${JSON.stringify(stored)}`);
    return { ok: true, events, epoch: Number(loaded.epoch) + 1 };
  });
}
