/** What channels sent of asks, or have to send: one row for each ask, channel, kind, version and target, claimed before sending. */
import type pg from 'pg';
import { fromColumn, fromColumnOrNull, toColumn, toColumnOrNull } from './column-text.js';
import { isoTime } from './event-rows.js';

/** What is unique: the same message to the same target is sent once, whichever process thinks of it. */
export interface DeliveryKey {
  readonly tenantId: string;
  readonly askId: string;
  readonly channel: string;
  /** `card`, `reminder`, `close-…`, `late`. */
  readonly kind: string;
  /** The ask's version that the message shows. */
  readonly version: number;
  /** Where to: a room, an address, a URL's name. */
  readonly target: string;
}

/**
 * `sending`: claimed by a process until its claim runs out; `waiting`: to be tried again at `nextAt`; `sent`; `failed`: given up;
 * `closed`: over. A sent card says how the ask ended; what tells of the end or of a late answer went out, or is not needed.
 */
export type DeliveryState = 'sending' | 'waiting' | 'sent' | 'failed' | 'closed';

export interface Delivery extends DeliveryKey {
  readonly id: string;
  readonly state: DeliveryState;
  /** SHA-256 of the text as it was shown, in hex. */
  readonly textHash: string | null;
  /** What the provider calls the message; needed to change it. Of kind `late`, until it went out: of the card that it replies to. */
  readonly providerRef: string | null;
  readonly attempts: number;
  /** ISO-8601 UTC, the database's clock. */
  readonly nextAt: string | null;
  readonly problem: string | null;
}

export interface PlannedMessage extends DeliveryKey {
  readonly inMs: number;
}

export interface Deliveries {
  /**
   * Takes the message up for `forMs`: the row, with this attempt counted; null when somebody else has it, or it was sent, given
   * up, or is not due yet.
   */
  claim(key: DeliveryKey, forMs: number): Promise<Delivery | null>;
  /** The message went out; `closed`: there is nothing to rewrite in it later. */
  done(id: string, sent: { textHash: string; providerRef: string | null }, state?: 'sent' | 'closed'): Promise<void>;
  /** It did not; `retryInMs` null: given up. `problem` holds no secret and is cut to 500 characters. */
  failed(id: string, failure: { problem: string; retryInMs: number | null }): Promise<void>;
  /** The sent card says how the ask ended. */
  closed(id: string): Promise<void>;
  /** The message `closeId`, by which the card `cardId` says how its ask ended, went out: both are closed together. */
  rewritten(closeId: string, cardId: string, sent: { textHash: string; providerRef: string | null }): Promise<void>;
  /** Messages of these channels to be tried again now, and those whose claim ran out; the longest overdue first. */
  due(channels: readonly { readonly tenantId: string; readonly name: string }[], limit: number): Promise<Delivery[]>;
  /**
   * Writes messages of one ask down, each due in its `inMs`; gives those that nobody had written down before. One that is planned,
   * sent or given up already stays as it is.
   */
  plan(messages: readonly PlannedMessage[]): Promise<Pick<DeliveryKey, 'channel' | 'kind' | 'target'>[]>;
  /** Planned messages of one kind of an ask, and those to be tried again, due or not. */
  waiting(askId: string, kind: string): Promise<Delivery[]>;
  /** Open asks of these tenants that have waited for two seconds without any message, the oldest first. */
  unannounced(tenantIds: readonly string[], limit: number): Promise<{ tenantId: string; askId: string }[]>;
  /** Ended asks of these tenants that have a sent card which does not say so. */
  outdated(tenantIds: readonly string[], limit: number): Promise<{ tenantId: string; askId: string }[]>;
  /** Sent cards of an ask that do not say how it ended. */
  openCards(askId: string): Promise<Delivery[]>;
}

interface Row {
  readonly id: string;
  readonly tenant_id: string;
  readonly ask_id: string;
  readonly channel: string;
  readonly kind: string;
  readonly version: number;
  readonly target: string;
  readonly state: DeliveryState;
  readonly text_hash: string | null;
  readonly provider_ref: string | null;
  readonly attempts: number;
  readonly next_at_text: string | null;
  readonly problem: string | null;
}

const COLUMNS = `d.*, ${isoTime('d.next_at')} AS next_at_text`;

const CLAIM = {
  name: 'delivery_claim',
  text: `
    INSERT INTO deliveries AS d (tenant_id, ask_id, channel, kind, version, target, state, attempts, claimed_until)
    VALUES ($1, $2, $3, $4, $5, $6, 'sending', 1, clock_timestamp() + make_interval(secs => $7))
    ON CONFLICT (ask_id, channel, kind, version, target) DO UPDATE
      SET state = 'sending', attempts = d.attempts + 1, next_at = NULL, updated_at = clock_timestamp(),
        claimed_until = excluded.claimed_until
      WHERE d.tenant_id = $1 AND (
        (d.state = 'waiting' AND d.next_at <= clock_timestamp()) OR (d.state = 'sending' AND d.claimed_until <= clock_timestamp()))
    RETURNING ${COLUMNS}`,
};

const PLAN = {
  name: 'delivery_plan',
  text: `
    INSERT INTO deliveries (tenant_id, ask_id, channel, kind, version, target, state, next_at)
    SELECT q.tenant, q.ask, q.channel, q.kind, q.version, q.target, 'waiting', clock_timestamp() + make_interval(secs => q.seconds)
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::text[], $7::float8[])
      q(tenant, ask, channel, kind, version, target, seconds)
    ON CONFLICT (ask_id, channel, kind, version, target) DO NOTHING
    RETURNING channel, kind, target`,
};

/** The columns as parallel arrays. */
function planned(messages: readonly PlannedMessage[]): unknown[] {
  const rows = messages.map((message) => [...keyColumns(message), message.inMs / 1_000]);
  return Array.from({ length: 7 }, (_none, column) => rows.map((row) => row[column]));
}

export function createDeliveries({ pool }: { readonly pool: pg.Pool }): Deliveries {
  const rowsOf = async (text: string, values: unknown[]): Promise<Delivery[]> =>
    (await pool.query<Row>(text, values)).rows.map(viewOf);
  const asksOf = async (text: string, values: unknown[]) =>
    (await pool.query<{ tenant_id: string; ask_id: string }>(text, values)).rows.map((row) => ({
      tenantId: fromColumn(row.tenant_id),
      askId: fromColumn(row.ask_id),
    }));
  return {
    claim: async (key, forMs) => {
      const values = [...keyColumns(key), forMs / 1_000];
      const { rows } = await pool.query<Row>({ ...CLAIM, values });
      return rows[0] ? viewOf(rows[0]) : null;
    },
    done: async (id, { textHash, providerRef }, state = 'sent') => {
      await pool.query(
        `UPDATE deliveries SET state = $4, text_hash = $2, provider_ref = $3, problem = NULL, claimed_until = NULL,
           updated_at = clock_timestamp() WHERE id = $1`,
        [id, textHash, toColumnOrNull(providerRef), state],
      );
    },
    failed: async (id, { problem, retryInMs }) => {
      await pool.query(
        `UPDATE deliveries SET state = $2, problem = $3, claimed_until = NULL, updated_at = clock_timestamp(),
           next_at = clock_timestamp() + make_interval(secs => $4) WHERE id = $1 AND state = 'sending'`,
        [id, retryInMs === null ? 'failed' : 'waiting', toColumn(problem.slice(0, 500)), secondsOf(retryInMs)],
      );
    },
    closed: async (id) => {
      await pool.query("UPDATE deliveries SET state = 'closed', updated_at = clock_timestamp() WHERE id = $1", [id]);
    },
    rewritten: async (closeId, cardId, { textHash, providerRef }) => {
      // INVARIANT: a closing message is never seen as a sent card, or another process would close it in its turn.
      await pool.query(
        `UPDATE deliveries SET state = 'closed', problem = NULL, claimed_until = NULL, updated_at = clock_timestamp(),
           text_hash = CASE WHEN id = $1 THEN $3 ELSE text_hash END,
           provider_ref = CASE WHEN id = $1 THEN $4 ELSE provider_ref END
         WHERE id IN ($1, $2)`,
        [closeId, cardId, textHash, toColumnOrNull(providerRef)],
      );
    },
    due: (channels, limit) =>
      rowsOf(
        `SELECT ${COLUMNS} FROM deliveries d
         WHERE ((d.state = 'waiting' AND d.next_at <= statement_timestamp())
             OR (d.state = 'sending' AND d.claimed_until <= statement_timestamp()))
           AND (d.tenant_id, d.channel) IN (SELECT * FROM unnest($2::text[], $3::text[]))
         ORDER BY coalesce(d.next_at, d.claimed_until), d.id LIMIT $1`,
        [limit, channels.map(({ tenantId }) => toColumn(tenantId)), channels.map(({ name }) => name)],
      ),
    plan: async (messages) => {
      const { rows } = await pool.query<Pick<Row, 'channel' | 'kind' | 'target'>>({
        ...PLAN,
        values: planned(messages),
      });
      return rows.map(({ channel, kind, target }) => ({ channel, kind, target: fromColumn(target) }));
    },
    waiting: (askId, kind) =>
      rowsOf(
        `SELECT ${COLUMNS} FROM deliveries d WHERE d.ask_id = $1 AND d.kind = $2 AND d.state = 'waiting' ORDER BY d.id`,
        [toColumn(askId), kind],
      ),
    unannounced: (tenantIds, limit) =>
      asksOf(
        `SELECT a.tenant_id, a.id AS ask_id FROM asks a
         WHERE a.status = 'open' AND a.tenant_id = ANY($1::text[]) AND a.opened_at < statement_timestamp() - interval '2 seconds'
           AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.ask_id = a.id)
         ORDER BY a.opened_at, a.id LIMIT $2`,
        [tenantIds.map(toColumn), limit],
      ),
    outdated: (tenantIds, limit) =>
      asksOf(
        `SELECT DISTINCT d.tenant_id, d.ask_id FROM deliveries d JOIN asks a ON a.id = d.ask_id
         WHERE d.state = 'sent' AND d.tenant_id = ANY($1::text[]) AND a.status <> 'open' LIMIT $2`,
        [tenantIds.map(toColumn), limit],
      ),
    openCards: (askId) =>
      rowsOf(`SELECT ${COLUMNS} FROM deliveries d WHERE d.ask_id = $1 AND d.state = 'sent' ORDER BY d.id`, [
        toColumn(askId),
      ]),
  };
}

function secondsOf(ms: number | null): number | null {
  return ms === null ? null : ms / 1_000;
}

function keyColumns({ tenantId, askId, channel, kind, version, target }: DeliveryKey): unknown[] {
  return [toColumn(tenantId), toColumn(askId), channel, kind, version, toColumn(target)];
}

function viewOf(row: Row): Delivery {
  return {
    id: row.id,
    tenantId: fromColumn(row.tenant_id),
    askId: fromColumn(row.ask_id),
    channel: row.channel,
    kind: row.kind,
    version: row.version,
    target: fromColumn(row.target),
    state: row.state,
    textHash: row.text_hash,
    providerRef: fromColumnOrNull(row.provider_ref),
    attempts: row.attempts,
    nextAt: row.next_at_text,
    problem: fromColumnOrNull(row.problem),
  };
}
