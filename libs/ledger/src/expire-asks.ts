/** Ends asks whose time is over, many sessions in one statement: thousands of asks may share a deadline. */
import { decideCommand, evolve, type CommandContext, type OpenedAsk, type SessionState } from '@countersign/approval';
import type { SessionEvent } from '@countersign/contracts';
import { appendRound } from './append.js';
import { asksToEnd, type AskToEnd, type DueAsk } from './asks.js';
import { contextOf } from './command-context.js';
import { commandUnit, outcomesOf, rootStoppedBy, type EndedCall } from './command-unit.js';
import type { Database } from './database.js';
import type { CommandTarget, ExecuteResult } from './execute.js';
import type { Line } from './load-line.js';
import { loadLines } from './load-lines.js';
import type { AppendUnit, UnitResult } from './types.js';

/** `left`: asks of sessions that moved meanwhile; they are due still, unless somebody else ended them. */
export interface Expiry {
  readonly ended: readonly (CommandTarget & { readonly outcomes: readonly EndedCall[] })[];
  readonly left: readonly DueAsk[];
}

type StoredCommand = Extract<ExecuteResult, { ok: true }>;
/** Ends what a stored command makes pointless in other sessions. */
export type EndBelow = (target: CommandTarget, stored: StoredCommand) => Promise<readonly EndedCall[]>;

/** Ends those of the asks that are due by the database's clock; whatever moved is left as it is. */
export async function expireAsks(db: Database, due: readonly DueAsk[], endBelow: EndBelow): Promise<Expiry> {
  const parts: Expiry[] = [];
  for (const [tenantId, asks] of groupBy(due, (ask) => ask.tenantId)) {
    parts.push(await expireOfTenant(db, tenantId, asks, endBelow));
  }
  return { ended: parts.flatMap(({ ended }) => ended), left: parts.flatMap(({ left }) => left) };
}

async function expireOfTenant(
  db: Database,
  tenantId: string,
  due: readonly DueAsk[],
  endBelow: EndBelow,
): Promise<Expiry> {
  const bySession = groupBy(due, (ask) => ask.sessionId);
  const lines = await loadLines(db.pool, tenantId, [...bySession.keys()]);
  const rows = groupBy(await rowsOf(db, { tenantId, due, lines }), (row) => row.sessionId);
  const drafts = [...bySession].flatMap(([sessionId, asks]) => {
    const line = lines.get(sessionId);
    const draft = line && draftOf({ tenantId, sessionId }, line, { asks, rows: rows.get(sessionId) ?? [] });
    return draft ? [draft] : [];
  });
  const results = drafts.length === 0 ? [] : await appendRound(db.pool, units(drafts));
  return settle(drafts, results, endBelow);
}

/** One session's part of the statement. */
interface Draft {
  readonly target: CommandTarget;
  readonly asks: readonly DueAsk[];
  readonly events: readonly SessionEvent[];
  readonly unit: AppendUnit;
}

const units = (drafts: readonly Draft[]): AppendUnit[] => drafts.map(({ unit }) => unit);

interface DueIn {
  readonly tenantId: string;
  readonly due: readonly DueAsk[];
  readonly lines: ReadonlyMap<string, Line>;
}

/** The due asks, and where an expiry may open the breaker all open ones of the session, since the breaker ends them. */
async function rowsOf({ pool }: Database, { tenantId, due, lines }: DueIn): Promise<AskToEnd[]> {
  const known = new Set(due.map(({ askId }) => askId));
  const rows = await asksToEnd(pool, tenantId, [...known]);
  const counting = new Set(rows.filter(({ opened }) => countsExpiry(opened)).map(({ sessionId }) => sessionId));
  const open = [...counting].flatMap((id) => lines.get(id)?.session?.state.openAsks ?? []);
  const others = open.map(({ askId }) => askId).filter((askId) => !known.has(askId));
  return [...rows, ...(await asksToEnd(pool, tenantId, others))];
}

/** An ask that was stored without terms is taken for one that does. */
const countsExpiry = ({ terms }: OpenedAsk): boolean => terms?.breaker.counts.includes('expiry') ?? true;

interface SessionAsks {
  readonly asks: readonly DueAsk[];
  readonly rows: readonly AskToEnd[];
}

/** Null: nothing is due here by now. */
function draftOf(target: CommandTarget, line: Line, { asks, rows }: SessionAsks): Draft | null {
  if (line.session === null) return null;
  const overdue = rows.filter((row) => row.status === 'open' && row.overdue).map((row) => row.askId);
  const due = asks.map(({ askId }) => askId).filter((askId) => overdue.includes(askId));
  const events = expired(line.session.state, due, contextOf(line, rows));
  const [askId] = due;
  if (askId === undefined || events.length === 0) return null;
  const made = commandUnit(target, line, { command: { type: 'ExpireAsk', askId }, events, asks: rows });
  return made.ok ? { target, asks, events, unit: made.unit } : null;
}

/** Each is decided on what the ones before it left; one that the breaker has ended by then is none of them. */
function expired(before: SessionState, due: readonly string[], context: CommandContext): SessionEvent[] {
  let state = before;
  const events: SessionEvent[] = [];
  for (const askId of due) {
    const decided = decideCommand(state, { type: 'ExpireAsk', askId }, context);
    if (!decided.ok) continue;
    state = decided.events.reduce(evolve, state);
    events.push(...decided.events);
  }
  return events;
}

async function settle(drafts: readonly Draft[], results: readonly UnitResult[], endBelow: EndBelow): Promise<Expiry> {
  const ended: Expiry['ended'][number][] = [];
  const left: DueAsk[] = [];
  for (const [place, { target, asks, events, unit }] of drafts.entries()) {
    if (results[place]?.ok !== true) {
      left.push(...asks);
      continue;
    }
    const own = outcomesOf(events);
    const stopped = rootStoppedBy(unit, target.sessionId);
    const stored = { ok: true as const, events, seq: 0, outcomes: own };
    const below = await endBelow(target, stopped === null ? stored : { ...stored, rootStopped: stopped });
    ended.push({ ...target, outcomes: [...own, ...below] });
  }
  return { ended, left };
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
