/** Remembered answers to requests that carry an Idempotency-Key. The owner's `forget_idempotency(days)` removes old ones. */
import { fromColumnOrNull, toColumn } from './column-text.js';
import type { Database } from './database.js';

/** `scope` is who sent it: a key never meets another sender's. */
export interface IdempotentRequest {
  readonly tenantId: string;
  readonly scope: string;
  readonly key: string;
  /** SHA-256 of method, path and body. */
  readonly requestHash: string;
}

export type Remembered =
  /** This request is the first: carry it out, then `finish` or `forget`. */
  | { readonly kind: 'first' }
  | { readonly kind: 'repeated'; readonly status: number; readonly response: string }
  /** The first one has not been answered yet. */
  | { readonly kind: 'running' }
  /** The key was used for another request. */
  | { readonly kind: 'reused' };

export interface Idempotency {
  begin(request: IdempotentRequest): Promise<Remembered>;
  finish(request: IdempotentRequest, answer: { status: number; response: string }): Promise<void>;
  /** The request failed in a way that a repetition may mend. */
  forget(request: IdempotentRequest): Promise<void>;
}

/** A request that was begun this long ago and never finished died with its process; it may be begun again. */
const ABANDONED_SECONDS = 120;

interface Row {
  readonly first: boolean;
  readonly request_hash: string;
  readonly status: number | null;
  readonly response: string | null;
}

export function createIdempotency(db: Database): Idempotency {
  return {
    begin: (request) => begin(db, request),
    finish: async (request, { status, response }) => {
      await db.pool.query(
        `UPDATE idempotency SET status = $4, response = $5, finished_at = clock_timestamp()
         WHERE tenant_id = $1 AND scope = $2 AND key = $3`,
        [...identity(request), status, toColumn(response)],
      );
    },
    forget: async (request) => {
      const text = 'DELETE FROM idempotency WHERE tenant_id = $1 AND scope = $2 AND key = $3 AND status IS NULL';
      await db.pool.query(text, identity(request));
    },
  };
}

async function begin(db: Database, request: IdempotentRequest): Promise<Remembered> {
  await db.pool.query(
    `DELETE FROM idempotency WHERE tenant_id = $1 AND scope = $2 AND key = $3 AND status IS NULL
     AND created_at < clock_timestamp() - make_interval(secs => $4)`,
    [...identity(request), ABANDONED_SECONDS],
  );
  const { rows } = await db.pool.query<Row>(
    `WITH made AS (
       INSERT INTO idempotency (tenant_id, scope, key, request_hash) VALUES ($1, $2, $3, $4)
       ON CONFLICT DO NOTHING RETURNING request_hash)
     SELECT true AS first, request_hash, NULL::int AS status, NULL AS response FROM made
     UNION ALL
     SELECT false, request_hash, status, response FROM idempotency WHERE tenant_id = $1 AND scope = $2 AND key = $3`,
    [...identity(request), request.requestHash],
  );
  const [row] = rows;
  // Another request won the insert after our snapshot was taken: it is running.
  if (!row) return { kind: 'running' };
  if (row.first) return { kind: 'first' };
  if (row.request_hash !== request.requestHash) return { kind: 'reused' };
  if (row.status === null) return { kind: 'running' };
  return { kind: 'repeated', status: row.status, response: fromColumnOrNull(row.response) ?? '' };
}

function identity({ tenantId, scope, key }: IdempotentRequest): string[] {
  return [toColumn(tenantId), toColumn(scope), toColumn(key)];
}
