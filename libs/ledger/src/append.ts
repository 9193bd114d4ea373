/** The only way into the ledger: one statement per round, every unit all or nothing. */
import {
  quickParser,
  sessionEventSchema,
  TENANT_STREAM,
  tenantEventSchema,
  type LedgerEvent,
} from '@countersign/contracts';
import { fromColumnOrNull } from './column-text.js';
import { isTransient, retrying } from './retry.js';
import { appendArguments, roundMatrices, type RoundMatrices } from './round-matrices.js';
import type { Appended, AppendUnit, Conflict, StreamKey, UnitResult } from './types.js';

/** What runs a statement: a pool, or one client inside a transaction. */
export interface Queryable {
  query<R extends object>(config: { name: string; text: string; values: unknown[] }): Promise<{ rows: R[] }>;
}

const checkSessionEvent = quickParser(sessionEventSchema);
const checkTenantEvent = quickParser(tenantEventSchema);

const APPEND = {
  name: 'append',
  text: 'SELECT * FROM append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)',
};

interface AppendRow {
  readonly conflicts: (Conflict | null)[];
  readonly details: (string | null)[];
  readonly seqs: (string | null)[];
  readonly hashes: (string | null)[];
  readonly deadlines: (string | null)[];
  readonly at_time: string;
}

/** Appends outside of any transaction: retries what is transient, and finds the guilty unit of a round that raises. */
export async function appendRound(db: Queryable, units: readonly AppendUnit[]): Promise<UnitResult[]> {
  return inRounds(units, async (round) => {
    try {
      return await retrying(() => appendOnce(db, round));
    } catch (error) {
      if (!isUnitsFault(error)) throw error;
      return oneByOne(db, round, error);
    }
  });
}

/** Appends inside a caller's transaction, which a failure spoils: nothing is retried. */
export async function appendInTransaction(db: Queryable, units: readonly AppendUnit[]): Promise<UnitResult[]> {
  return inRounds(units, (round) => appendOnce(db, round));
}

/** Units that share a stream go in statements of their own, in order; what cannot be an event is refused here. */
async function inRounds(
  units: readonly AppendUnit[],
  run: (round: readonly AppendUnit[]) => Promise<UnitResult[]>,
): Promise<UnitResult[]> {
  const results = new Array<UnitResult>(units.length);
  let left = units.flatMap((unit, index) => {
    const problem = problemOf(unit);
    if (problem === null) return [{ unit, index }];
    results[index] = { ok: false, error: problem };
    return [];
  });
  while (left.length > 0) {
    const { now, later } = split(left);
    const done = await run(now.map((item) => item.unit));
    now.forEach((item, place) => {
      results[item.index] = done[place] ?? { ok: false, error: 'the database gave no answer for this unit' };
    });
    left = later;
  }
  return results;
}

interface Indexed {
  readonly unit: AppendUnit;
  readonly index: number;
}

function split(items: readonly Indexed[]): { now: Indexed[]; later: Indexed[] } {
  const seen = new Set<string>();
  const now: Indexed[] = [];
  const later: Indexed[] = [];
  for (const item of items) {
    const names = item.unit.streams.map(streamName);
    const clash = names.some((name) => seen.has(name));
    (clash ? later : now).push(item);
    for (const name of names) seen.add(name);
  }
  return { now, later };
}

function streamName({ tenantId, streamId }: StreamKey): string {
  return `${tenantId.length}:${tenantId}${streamId}`;
}

/** Why a unit cannot be stored whatever the database says, or null. */
function problemOf(unit: AppendUnit): string | null {
  if (unit.streams.length === 0) return 'a unit needs a stream';
  const once = unit.streams.length === 1 || new Set(unit.streams.map(streamName)).size === unit.streams.length;
  if (!once) return 'a unit names a stream twice';
  for (const stream of unit.streams) {
    if (stream.events.length === 0) return `no events for stream \`${stream.streamId}\``;
    for (const event of stream.events) {
      const problem = eventProblem(stream.streamId, event);
      if (problem !== null) return problem;
    }
  }
  return null;
}

function eventProblem(streamId: string, event: LedgerEvent): string | null {
  const checked = streamId === TENANT_STREAM ? checkTenantEvent(event) : checkSessionEvent(event);
  if (checked.success) return null;
  const issue = checked.error.issues[0];
  return `event \`${event.type}\` is not valid: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unknown problem'}`;
}

/**
 * What is in a statement makes Postgres refuse it: a feature, a value, a constraint, a name, a size, a check of ours, a bug. The state
 * of a connection, of a transaction or of the server (a standby, a role that may not) is nobody's fault.
 */
const UNITS_FAULT = /^(?:0A|2[123]|42(?!501)|54|P0|XX)[0-9A-Z]{3}$/;

/** A broken connection is nobody's fault; a statement that Postgres refuses is some unit's. */
export function isUnitsFault(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  if (error instanceof TypeError || error instanceof RangeError) return true;
  return typeof code === 'string' && UNITS_FAULT.test(code);
}

async function oneByOne(db: Queryable, round: readonly AppendUnit[], cause: unknown): Promise<UnitResult[]> {
  const results: UnitResult[] = [];
  for (const unit of round) results.push(await alone(db, unit, round.length === 1 ? cause : undefined));
  return results;
}

async function alone(db: Queryable, unit: AppendUnit, known: unknown): Promise<UnitResult> {
  try {
    if (known !== undefined) throw known;
    const [result] = await retrying(() => appendOnce(db, [unit]));
    return result ?? { ok: false, error: 'the database gave no answer for this unit' };
  } catch (error) {
    if (isTransient(error) || !isUnitsFault(error)) throw error;
    if (isUsedKey(error) && !repeatsKey(unit))
      return { ok: false, conflict: 'key', detail: 'a tool-use id was used before' };
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}

function isUsedKey(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === '23505' && constraint === 'call_keys_pkey';
}

/** One key twice in one unit is no race but a mistake: no other decision would mend it. */
function repeatsKey(unit: AppendUnit): boolean {
  const keys = roundMatrices([unit]).keysMade.map((cells) => JSON.stringify(cells.slice(1, 6)));
  return new Set(keys).size < keys.length;
}

async function appendOnce(db: Queryable, round: readonly AppendUnit[]): Promise<UnitResult[]> {
  const matrices = roundMatrices(round);
  const { rows } = await db.query<AppendRow>({ values: appendArguments(round.length, matrices), ...APPEND });
  const [row] = rows;
  if (!row) throw new Error('the database gave no answer for this round');
  return resultsOf(round, matrices, row);
}

function resultsOf(round: readonly AppendUnit[], matrices: RoundMatrices, row: AppendRow): UnitResult[] {
  const appended = appendedByUnit(matrices, row);
  return round.map((_unit, index): UnitResult => {
    const conflict = row.conflicts[index];
    if (conflict) return { ok: false, conflict, detail: fromColumnOrNull(row.details[index] ?? null) ?? '' };
    const asks = matrices.asksOpened.flatMap((cells, place) =>
      cells[0] === index + 1 ? [{ askId: String(cells[3]), deadline: row.deadlines[place] ?? null }] : [],
    );
    return { ok: true, appended: appended.get(index + 1) ?? [], asks };
  });
}

function appendedByUnit(matrices: RoundMatrices, row: AppendRow): Map<number, Appended[]> {
  const byUnit = new Map<number, Appended[]>();
  matrices.events.forEach((cells, place) => {
    const stream = matrices.streams[Number(cells[0]) - 1];
    const seq = row.seqs[place];
    if (!stream || !seq) return;
    const list = byUnit.get(Number(stream[0])) ?? [];
    const streamId = fromColumnOrNull(String(stream[2])) ?? '';
    list.push({ streamId, seq: Number(seq), time: row.at_time, hash: row.hashes[place] ?? '' });
    byUnit.set(Number(stream[0]), list);
  });
  return byUnit;
}
