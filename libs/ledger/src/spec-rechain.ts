/** For specs that need old events: gives a stream's events other times and hashes them as `append` would have done then. */
import type pg from 'pg';
import { CHAIN_START, chainHash } from './chain.js';
import { TENANT } from './spec-data.js';

interface Row {
  readonly seq: string;
  readonly type: string;
  readonly version: string;
  readonly callId: string | null;
  readonly askId: string | null;
  readonly agent: string | null;
  readonly tool: string | null;
  readonly decision: string | null;
  readonly ruleId: string | null;
  readonly personId: string | null;
  readonly channel: string | null;
  readonly body: string;
}

/** `times`: one for each event of the stream, in order. As the owner. */
export async function rechain(owner: pg.Pool, streamId: string, times: readonly Date[]): Promise<void> {
  const { rows } = await owner.query<Row>(
    `SELECT seq::text, type, version::text, call_id AS "callId", ask_id AS "askId", agent, tool, decision, rule_id AS "ruleId",
       person_id AS "personId", channel, body FROM events WHERE tenant_id = $1 AND stream_id = $2 ORDER BY seq`,
    [TENANT, streamId],
  );
  let prev = CHAIN_START;
  for (const [i, row] of rows.entries()) {
    const time = (times[i] ?? new Date()).toISOString().replace('Z', '000Z');
    const hash = chainHash(prev, { tenantId: TENANT, streamId, time, ...row });
    await owner.query(
      `UPDATE events SET "time" = $3, prev_hash = decode($4, 'hex'), hash = decode($5, 'hex')
       WHERE tenant_id = $1 AND stream_id = $2 AND seq = $6`,
      [TENANT, streamId, time, prev, hash, row.seq],
    );
    prev = hash;
  }
  await owner.query(`UPDATE heads SET hash = decode($3, 'hex') WHERE tenant_id = $1 AND stream_id = $2`, [
    TENANT,
    streamId,
    prev,
  ]);
}
