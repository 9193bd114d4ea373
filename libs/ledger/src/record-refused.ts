/** Refused answers on record. Of one that came too late and says the contrary, whoever was first is to be told: both are stored or neither. */
import type { SessionEvent } from '@countersign/contracts';
import { appendRecord } from './append-record.js';
import { appendInTransaction, appendRound } from './append.js';
import { toColumn } from './column-text.js';
import { inTransaction, type Database } from './database.js';
import type { AppendUnit, StreamKey, UnitResult } from './types.js';

/**
 * One message for each place of the channel that the first answer came from, where the ask's card was shown, is just being sent, or may
 * have been shown: what was heard of as a failure may have arrived.
 * A timer and a cancel that nobody gave have no name, so nobody is told. `provider_ref`: of the card, to be replied to.
 */
const PLAN_LATE = {
  name: 'delivery_plan_late',
  text: `
    INSERT INTO deliveries (tenant_id, ask_id, channel, kind, version, target, state, next_at, provider_ref)
    SELECT DISTINCT ON (d.target) d.tenant_id, d.ask_id, d.channel, 'late', a.version, d.target, 'waiting', clock_timestamp(), d.provider_ref
    FROM asks a JOIN deliveries d ON d.ask_id = a.id AND d.channel = a.resolved_via AND d.kind = 'card'
    WHERE a.tenant_id = $1 AND a.id = $2 AND a.status <> 'open' AND a.resolved_by IS NOT NULL
      AND (d.text_hash IS NOT NULL OR d.state = 'sending' OR (d.problem IS NOT NULL AND d.state <> 'failed'))
    ORDER BY d.target, d.version DESC
    ON CONFLICT (ask_id, channel, kind, version, target) DO NOTHING`,
};

/** Appends what changes no state, after whatever stands in the stream now. Throws when it cannot be stored. */
export async function recordRefused(
  { pool }: Pick<Database, 'pool'>,
  stream: StreamKey,
  events: readonly SessionEvent[],
): Promise<void> {
  const contradicted = events.flatMap(contradictedAsk);
  if (contradicted.length === 0) return recordWith((units) => appendRound(pool, units), stream, events);
  await inTransaction(pool, async (client) => {
    // Planned first: from the append on, the stream is locked.
    for (const askId of contradicted)
      await client.query({ ...PLAN_LATE, values: [toColumn(stream.tenantId), toColumn(askId)] });
    await recordWith((units) => appendInTransaction(client, units), stream, events);
  });
}

function contradictedAsk({ type, body }: SessionEvent): string[] {
  return type === 'AskAnswerRefused' && body.agrees === false ? [body.askId] : [];
}

async function recordWith(
  append: (units: readonly AppendUnit[]) => Promise<UnitResult[]>,
  stream: StreamKey,
  events: readonly SessionEvent[],
): Promise<void> {
  const stored = await appendRecord({ append }, stream, events);
  if (!stored?.ok) throw new Error(`a refusal could not be recorded: ${JSON.stringify(stored)}`);
}
