/** What somebody missed who was away since a version: read from the ledger, never from memory. */
import { answererSchema, askStatusSchema, type AskView } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import { z } from 'zod';
import { databaseNow } from '../asks/list-asks.js';
import type { ClosedNotice } from './notices.js';

/** Events are stamped before they can be seen; this much is told twice rather than never. */
const OVERLAP_MS = 60_000;
const PAGE = 200;
const MOST_PAGES = 25;

const answeredSchema = z.object({ askId: z.string(), edited: z.object({}).optional() });
const resolvedSchema = z.object({ askId: z.string(), status: askStatusSchema, by: answererSchema });

export interface Missed {
  readonly opened: readonly AskView[];
  readonly closed: readonly ClosedNotice[];
  readonly version: string;
}

/** Every ask that is open, and every one that ended since `since` (an earlier version; empty: none). */
export async function missedSince(ledger: Ledger, tenantId: string, since: string): Promise<Missed> {
  const version = await databaseNow(ledger);
  const from = Date.parse(since);
  const closed = Number.isNaN(from) ? [] : await closedSince(ledger, tenantId, from - OVERLAP_MS);
  return { opened: await allOpen(ledger, tenantId), closed, version };
}

async function allOpen(ledger: Ledger, tenantId: string): Promise<AskView[]> {
  const found: AskView[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { items, next } = await ledger.asks.list({ tenantId, status: 'open', limit: PAGE, cursor });
    found.push(...items);
    if (next === null) break;
    cursor = next;
  }
  return found.reverse();
}

async function closedSince(ledger: Ledger, tenantId: string, from: number): Promise<ClosedNotice[]> {
  const answers = await eventsSince(ledger, tenantId, { type: 'AskAnswered', from });
  const edited = new Set(
    answers.flatMap(({ body }) => {
      const answered = answeredSchema.parse(body);
      return answered.edited === undefined ? [] : [answered.askId];
    }),
  );
  const ends = await eventsSince(ledger, tenantId, { type: 'AskResolved', from });
  return ends.reverse().map(({ body, time: at }) => {
    const { askId: id, status, by } = resolvedSchema.parse(body);
    return { id, status, by: by.personName ?? by.personId, via: by.channel, at, edited: edited.has(id) };
  });
}

/** The latest first. */
async function eventsSince(ledger: Ledger, tenantId: string, wish: { type: string; from: number }) {
  const query = { type: wish.type, from: new Date(wish.from).toISOString(), limit: PAGE };
  const found: Awaited<ReturnType<Ledger['events']['list']>>['items'] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { items, next } = await ledger.events.list(tenantId, {
      ...query,
      ...(cursor === undefined ? {} : { cursor }),
    });
    found.push(...items);
    if (next === null) break;
    cursor = next;
  }
  return found;
}
