/** Places that channels write to no more, since they said that they are gone: known to every process, and after a restart. */
import type pg from 'pg';
import { fromColumn, toColumn } from './column-text.js';
import { isoTime } from './event-rows.js';

export interface ChannelTarget {
  readonly tenantId: string;
  readonly channel: string;
  readonly target: string;
  /** A hash of what it is set up with: set up otherwise, it is another place. */
  readonly setting: string;
}

/** `problem` holds no secret; `closedAt` is ISO-8601 UTC, the database's clock. */
export interface ClosedTarget {
  readonly problem: string;
  readonly closedAt: string;
}

export interface ClosedTargets {
  close(target: ChannelTarget, problem: string): Promise<void>;
  /** Null: it may be written to. */
  find(target: ChannelTarget): Promise<ClosedTarget | null>;
}

interface Row {
  readonly problem: string;
  readonly closed_at_text: string;
}

export function createClosedTargets({ pool }: { readonly pool: pg.Pool }): ClosedTargets {
  return {
    close: async (target, problem) => {
      await pool.query(
        `INSERT INTO closed_targets (tenant_id, channel, target, setting, problem) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (tenant_id, channel, target) DO UPDATE
           SET setting = excluded.setting, problem = excluded.problem, closed_at = clock_timestamp()
           WHERE closed_targets.setting <> excluded.setting`,
        [...columnsOf(target), toColumn(problem.slice(0, 500))],
      );
    },
    find: async (target) => {
      const text = `SELECT c.problem, ${isoTime('c.closed_at')} AS closed_at_text FROM closed_targets c
        WHERE c.tenant_id = $1 AND c.channel = $2 AND c.target = $3 AND c.setting = $4`;
      const { rows } = await pool.query<Row>({ name: 'closed_target', text, values: columnsOf(target) });
      return rows[0] ? { problem: fromColumn(rows[0].problem), closedAt: rows[0].closed_at_text } : null;
    },
  };
}

function columnsOf({ tenantId, channel, target, setting }: ChannelTarget): string[] {
  return [toColumn(tenantId), channel, toColumn(target), setting];
}
