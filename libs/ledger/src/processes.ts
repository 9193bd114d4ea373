/** Which processes run, and which of them have confirmed that they refuse by an engaged kill switch. */
import type pg from 'pg';
import { fromColumn, toColumn } from './column-text.js';
import { isoTime } from './event-rows.js';

/** A running process as it names itself. */
export interface ProcessName {
  readonly id: string;
  readonly app: string;
}

/** A process that was seen lately; `confirmedAt` (ISO-8601 UTC, the database's clock) null: it has not confirmed yet. */
export interface KillReach extends ProcessName {
  readonly confirmedAt: string | null;
  /** Milliseconds from the engagement to the confirmation. */
  readonly afterMs: number | null;
}

export interface Processes {
  /** The process runs. Forgets those that were not seen for a day, and confirmations older than 30 days. */
  seen(process: ProcessName): Promise<void>;
  /** It is about to go. */
  gone(processId: string): Promise<void>;
  /** The process refuses by these kill switches from now on; saying it again changes nothing. */
  confirm(process: ProcessName, killIds: readonly string[]): Promise<void>;
  /** Every process that confirmed the kill switch, and every other one that was seen within the last `aliveMs`. */
  reach(killId: string, aliveMs: number): Promise<KillReach[]>;
}

const CONFIRM = {
  name: 'kill_confirm',
  text: `INSERT INTO kill_confirmations (kill_id, process_id, app)
    SELECT kill_id, $1, $2 FROM unnest($3::text[]) kill_id ON CONFLICT DO NOTHING`,
};

const REACH = {
  name: 'kill_reach',
  text: `
    SELECT c.process_id AS id, c.app, ${isoTime('c.confirmed_at')} AS at,
      (extract(epoch FROM c.confirmed_at - k.engaged_at) * 1000)::float8 AS after_ms
    FROM kill_confirmations c JOIN kill_switches k ON k.id = c.kill_id WHERE c.kill_id = $1
    UNION ALL
    SELECT p.id, p.app, NULL, NULL FROM processes p
    WHERE p.seen_at > statement_timestamp() - make_interval(secs => $2)
      AND NOT EXISTS (SELECT 1 FROM kill_confirmations c WHERE c.kill_id = $1 AND c.process_id = p.id)
    ORDER BY app, id`,
};

export function createProcesses({ pool }: { readonly pool: pg.Pool }): Processes {
  return {
    seen: async ({ id, app }) => {
      const values = [toColumn(id), toColumn(app)];
      await pool.query({
        name: 'process_seen',
        text: `INSERT INTO processes (id, app) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET seen_at = clock_timestamp()`,
        values,
      });
      await pool.query(`DELETE FROM processes WHERE seen_at < statement_timestamp() - interval '1 day'`);
      await pool.query(
        `DELETE FROM kill_confirmations WHERE confirmed_at < statement_timestamp() - interval '30 days'`,
      );
    },
    gone: async (processId) => {
      await pool.query('DELETE FROM processes WHERE id = $1', [toColumn(processId)]);
    },
    confirm: async ({ id, app }, killIds) => {
      if (killIds.length === 0) return;
      await pool.query({ ...CONFIRM, values: [toColumn(id), toColumn(app), killIds.map(toColumn)] });
    },
    reach: async (killId, aliveMs) => {
      const values = [toColumn(killId), aliveMs / 1_000];
      const { rows } = await pool.query<{ id: string; app: string; at: string | null; after_ms: number | null }>({
        ...REACH,
        values,
      });
      return rows.map((row) => ({
        id: fromColumn(row.id),
        app: fromColumn(row.app),
        confirmedAt: row.at,
        afterMs: row.after_ms,
      }));
    },
  };
}
