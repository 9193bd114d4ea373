/** Where followers of the log stand. One process at a time follows under a name; another takes over when it falls silent. */
import type pg from 'pg';
import { toColumn } from './column-text.js';
import type { FeedPosition } from './events.js';

export interface Followers {
  /**
   * Takes the name for `forMs` and gives where it stands; null while another process holds it. A new name begins after
   * everything that is stored now. Whoever holds it takes it again to go on.
   */
  hold(name: string, by: string, forMs: number): Promise<FeedPosition | null>;
  /** Everything up to here was delivered; false when somebody else holds the name by now. */
  advance(name: string, by: string, to: FeedPosition): Promise<boolean>;
  /** Lets others take over at once. */
  release(name: string, by: string): Promise<void>;
}

const HOLD = {
  name: 'follower_hold',
  text: `
    INSERT INTO followers AS f (name, txid, position, held_by, held_until)
    VALUES ($1, pg_snapshot_xmin(pg_current_snapshot()), 0, $2, clock_timestamp() + make_interval(secs => $3))
    ON CONFLICT (name) DO UPDATE SET held_by = excluded.held_by, held_until = excluded.held_until
      WHERE f.held_by = excluded.held_by OR f.held_until <= clock_timestamp()
    RETURNING txid::text AS txid, position::text AS position`,
};

export function createFollowers({ pool }: { readonly pool: pg.Pool }): Followers {
  return {
    hold: async (name, by, forMs) => {
      const values = [toColumn(name), toColumn(by), forMs / 1_000];
      const { rows } = await pool.query<FeedPosition>({ ...HOLD, values });
      return rows[0] ?? null;
    },
    advance: async (name, by, { txid, position }) => {
      const text = 'UPDATE followers SET txid = $3::xid8, position = $4::bigint WHERE name = $1 AND held_by = $2';
      const values = [toColumn(name), toColumn(by), txid, position];
      return (await pool.query({ name: 'follower_advance', text, values })).rowCount === 1;
    },
    release: async (name, by) => {
      const text = `UPDATE followers SET held_until = '-infinity' WHERE name = $1 AND held_by = $2`;
      await pool.query({ name: 'follower_release', text, values: [toColumn(name), toColumn(by)] });
    },
  };
}
