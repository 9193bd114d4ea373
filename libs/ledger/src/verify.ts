/** Checks the whole log against its hashes, gaps and heads, in one snapshot. */
import type pg from 'pg';
import { CHAIN_START, chainHash } from './chain.js';
import { fromColumn, toColumn } from './column-text.js';
import { EVENT_COLUMNS, type EventRow } from './event-rows.js';

export interface ChainProblem {
  readonly tenantId: string;
  readonly streamId: string;
  readonly seq: number;
  readonly problem: string;
}

export interface VerifyReport {
  readonly streams: number;
  readonly events: number;
  readonly problems: ChainProblem[];
}

export type VerifyProgress = (done: { streams: number; events: number }) => void;

const BATCH = 1_000;
/** A broken log must not fill the memory with what is wrong with it. */
const MOST_PROBLEMS = 10_000;

/** Verifies one tenant's streams, or all. Reads a single snapshot, so appends that run meanwhile are no problem. */
export async function verifyLedger(
  pool: pg.Pool,
  tenantId?: string,
  onProgress?: VerifyProgress,
): Promise<VerifyReport> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const check = new LedgerCheck(client, tenantId === undefined ? null : toColumn(tenantId), onProgress);
    const report = await check.run();
    await client.query('COMMIT');
    client.release();
    return report;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

interface HeadRow {
  readonly tenant_id: string;
  readonly stream_id: string;
  readonly seq: string;
  readonly hash: string;
}

class LedgerCheck {
  private readonly problems: ChainProblem[] = [];
  private events = 0;
  private streams = 0;
  private last: EventRow | null = null;
  private readonly ended: EventRow[] = [];
  /** Where streams of the batch begin whose older events were dropped, by the name of the stream. */
  private borders = new Map<string, Border>();

  constructor(
    private readonly client: pg.PoolClient,
    private readonly tenantId: string | null,
    private readonly onProgress: VerifyProgress = () => undefined,
  ) {}

  async run(): Promise<VerifyReport> {
    for (let rows = await this.nextBatch(); rows.length > 0; rows = await this.nextBatch()) {
      await this.loadBorders(rows);
      for (const row of rows) this.checkRow(row);
      await this.checkHeads();
      this.onProgress({ streams: this.streams, events: this.events });
    }
    if (this.last) this.ended.push(this.last);
    await this.checkHeads();
    await this.checkEmptyHeads();
    return { streams: this.streams, events: this.events, problems: this.problems };
  }

  private async nextBatch(): Promise<EventRow[]> {
    const { last } = this;
    const text = `SELECT ${EVENT_COLUMNS} FROM events e
      WHERE ($1::text IS NULL OR e.tenant_id = $1)
        AND (e.tenant_id, e.stream_id, e.seq, e."time") > ($2, $3, $4::bigint, $5::timestamptz)
      ORDER BY e.tenant_id, e.stream_id, e.seq, e."time" LIMIT ${BATCH}`;
    const from = last
      ? [last.tenantId, last.streamId, last.seq, last.time]
      : [this.tenantId ?? '', '', '0', '-infinity'];
    const { rows } = await this.client.query<EventRow>(text, [this.tenantId, ...from]);
    return rows;
  }

  private checkRow(row: EventRow): void {
    this.events += 1;
    const before = this.last;
    const first = before === null || before.tenantId !== row.tenantId || before.streamId !== row.streamId;
    if (first) {
      this.streams += 1;
      if (before) this.ended.push(before);
    }
    const problem = problemOf(row, first ? (this.borders.get(nameOf(row)) ?? null) : before);
    if (problem !== null) this.report(row, Number(row.seq), problem);
    this.last = row;
  }

  /** Only streams that do not begin with their first event can have one. */
  private async loadBorders(rows: readonly EventRow[]): Promise<void> {
    const cut = rows.filter((row, i) => row.seq !== '1' && nameOf(row) !== nameOf(rows[i - 1] ?? this.last));
    this.borders = new Map();
    if (cut.length === 0) return;
    const text = `SELECT b.tenant_id AS "tenantId", b.stream_id AS "streamId", b.seq::text AS seq, encode(b.hash, 'hex') AS hash
      FROM unnest($1::text[], $2::text[]) q(tenant, stream)
      JOIN stream_borders b ON b.tenant_id = q.tenant AND b.stream_id = q.stream`;
    const values = [cut.map((row) => row.tenantId), cut.map((row) => row.streamId)];
    const found = await this.client.query<Border & { tenantId: string; streamId: string }>(text, values);
    for (const border of found.rows) this.borders.set(nameOf(border), border);
  }

  private report(stream: { tenantId: string; streamId: string }, seq: number, problem: string): void {
    if (this.problems.length >= MOST_PROBLEMS) return;
    const { tenantId, streamId } = stream;
    this.problems.push({ tenantId: fromColumn(tenantId), streamId: fromColumn(streamId), seq, problem });
  }

  /** Compares the last event of every stream that has ended with the stream's head: a cut tail shows only there. */
  private async checkHeads(): Promise<void> {
    const ended = this.ended.splice(0);
    if (ended.length === 0) return;
    const text = `SELECT h.tenant_id, h.stream_id, h.seq, encode(h.hash, 'hex') AS hash
      FROM unnest($1::text[], $2::text[]) q(tenant, stream) JOIN heads h ON h.tenant_id = q.tenant AND h.stream_id = q.stream`;
    const values = [ended.map((row) => row.tenantId), ended.map((row) => row.streamId)];
    const { rows } = await this.client.query<HeadRow>(text, values);
    const heads = new Map(rows.map((head) => [JSON.stringify([head.tenant_id, head.stream_id]), head]));
    for (const row of ended) {
      const problem = headProblem(row, heads.get(JSON.stringify([row.tenantId, row.streamId])));
      if (problem !== null) this.report(row, Number(row.seq), problem);
    }
  }

  /** Heads whose events are all gone. In batches, so that no single statement runs long. */
  private async checkEmptyHeads(): Promise<void> {
    const text = `WITH batch AS (
        SELECT h.tenant_id, h.stream_id, h.seq, h.hash FROM heads h
        WHERE ($1::text IS NULL OR h.tenant_id = $1) AND (h.tenant_id, h.stream_id) > ($2, $3)
        ORDER BY h.tenant_id, h.stream_id LIMIT ${BATCH})
      SELECT b.tenant_id, b.stream_id, b.seq,
        EXISTS (SELECT 1 FROM events e WHERE e.tenant_id = b.tenant_id AND e.stream_id = b.stream_id)
          OR EXISTS (SELECT 1 FROM stream_borders d
            WHERE d.tenant_id = b.tenant_id AND d.stream_id = b.stream_id AND d.seq = b.seq AND d.hash = b.hash) AS filled
      FROM batch b ORDER BY b.tenant_id, b.stream_id`;
    let from = [this.tenantId ?? '', ''];
    for (;;) {
      const { rows } = await this.client.query<HeadRow & { filled: boolean }>(text, [this.tenantId, ...from]);
      for (const { tenant_id: tenantId, stream_id: streamId, seq, filled } of rows) {
        const problem = `the head is at ${seq}, but every event of the stream is missing`;
        if (!filled) this.report({ tenantId, streamId }, Number(seq), problem);
        from = [tenantId, streamId];
      }
      if (rows.length < BATCH) return;
    }
  }
}

/** What a stream goes on from: the event before, or the last one that was dropped. */
type Border = Pick<EventRow, 'seq' | 'hash'>;

function nameOf(row: Pick<EventRow, 'tenantId' | 'streamId'> | null): string {
  return row === null ? '' : JSON.stringify([row.tenantId, row.streamId]);
}

/** What is wrong with a row, given the row before it in its stream (null: it is the first that is there). */
function problemOf(row: EventRow, before: Border | null): string | null {
  const seq = Number(row.seq);
  const expected = before === null ? 1 : Number(before.seq) + 1;
  if (chainHash(row.prevHash, row) !== row.hash) return 'the event does not fit its hash: it was changed';
  if (seq > expected) {
    return seq === expected + 1 ? `event ${expected} is missing` : `events ${expected} to ${seq - 1} are missing`;
  }
  if (seq < expected) return `sequence number ${seq} stands twice`;
  const previous = before === null ? CHAIN_START : before.hash;
  return row.prevHash === previous ? null : 'the event does not follow the one before it';
}

function headProblem(last: EventRow, head: HeadRow | undefined): string | null {
  if (!head) return 'the stream has events but no head';
  if (head.seq !== last.seq)
    return `the head is at ${head.seq}, but the last event is ${last.seq}: the newest are missing`;
  return head.hash === last.hash ? null : 'the head has another hash than the last event';
}
