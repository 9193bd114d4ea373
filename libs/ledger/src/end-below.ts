/** When a session ends, the open questions of the sessions below it end too. */
import type { SessionCommand } from '@countersign/approval';
import { MAX_SESSION_LINE, type SessionEvent } from '@countersign/contracts';
import { fromColumn, toColumn } from './column-text.js';
import type { EndedCall } from './command-unit.js';
import type { Database } from './database.js';
import type { CommandTarget, ExecuteResult } from './execute.js';

const ENDINGS: Readonly<Partial<Record<SessionEvent['type'], string>>> = {
  SessionCancelled: 'was cancelled',
  SessionStopped: 'ended',
  BreakerOpened: 'was stopped after too many denials',
};

type Execute = (target: CommandTarget, command: SessionCommand) => Promise<ExecuteResult>;

/**
 * Ends what a stored command makes pointless below its session, and on and below a root whose breaker it opened. Each session
 * is an append of its own: should the process die in between, approvals are still refused there (the ancestor holds), and the
 * deadline ends the rest.
 */
export async function endAsksBelow(
  db: Database,
  target: CommandTarget,
  stored: Extract<ExecuteResult, { ok: true }>,
  execute: Execute,
): Promise<EndedCall[]> {
  const what = stored.events.map((event) => ENDINGS[event.type]).find((ending) => ending !== undefined);
  const below = what === undefined ? [] : await waitingBelow(db, target);
  const outcomes = await endAsks(target, { sessionIds: below, by: target.sessionId, what }, execute);
  if (stored.rootStopped === undefined) return outcomes;
  const root = { tenantId: target.tenantId, sessionId: stored.rootStopped };
  const sessionIds = [root.sessionId, ...(await waitingBelow(db, root))];
  return [
    ...outcomes,
    ...(await endAsks(target, { sessionIds, by: root.sessionId, what: ENDINGS.BreakerOpened }, execute)),
  ];
}

interface Endings {
  readonly sessionIds: readonly string[];
  /** The session whose end this is. */
  readonly by: string;
  readonly what: string | undefined;
}

async function endAsks(
  { tenantId }: CommandTarget,
  { sessionIds, by, what }: Endings,
  execute: Execute,
): Promise<EndedCall[]> {
  const outcomes: EndedCall[] = [];
  const reason = `session \`${by}\` ${what ?? 'ended'}`;
  for (const sessionId of sessionIds) {
    const result = await execute({ tenantId, sessionId }, { type: 'EndAsks', reason, by: 'system' });
    if (result.ok) outcomes.push(...result.outcomes);
  }
  return outcomes;
}

/** Sessions with open asks that have `target` above them. Open asks are few, so the climb starts there. */
async function waitingBelow(db: Database, { tenantId, sessionId }: CommandTarget): Promise<string[]> {
  const { rows } = await db.pool.query<{ session_id: string }>({
    name: 'waiting_below',
    text: `
      WITH RECURSIVE up AS (
        SELECT DISTINCT h.stream_id AS session_id, h.parent_id, 1 AS depth
        FROM asks a JOIN heads h ON h.tenant_id = a.tenant_id AND h.stream_id = a.session_id
        WHERE a.tenant_id = $1 AND a.status = 'open' AND h.parent_id IS NOT NULL
        UNION ALL
        SELECT up.session_id, p.parent_id, up.depth + 1
        FROM up JOIN heads p ON p.tenant_id = $1 AND p.stream_id = up.parent_id
        WHERE up.parent_id <> $2 AND p.parent_id IS NOT NULL AND up.depth <= ${MAX_SESSION_LINE}
      )
      SELECT DISTINCT session_id FROM up WHERE parent_id = $2 ORDER BY session_id`,
    values: [toColumn(tenantId), toColumn(sessionId)],
  });
  return rows.map((row) => fromColumn(row.session_id));
}
