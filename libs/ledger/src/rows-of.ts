/** The rows that follow from a stream's new events: asks, call keys and grants. Derived here and nowhere else. */
import { holdsKey, outcomeOf, pendingOutcome, resultFingerprint, type BodyOf } from '@countersign/approval';
import {
  canonicalJson,
  type CallOutcome,
  type Grant,
  type LedgerEvent,
  type RequestRecord,
} from '@countersign/contracts';

type AskStatus = BodyOf<'AskResolved'>['status'];

/** What a resolved ask's row says of its end. */
export interface AskEnding {
  readonly status: AskStatus;
  readonly by: string | null;
  readonly byId: string | null;
  readonly via: string;
  readonly reason: string;
}

/** `approve`: only before the deadline and while nothing freezes it; `answer`: only before the deadline; `expiry`: only after it; `open`: at any time while it is open. */
export type AskGuard = 'approve' | 'answer' | 'expiry' | 'open';

export interface OpenedAskRow {
  readonly body: BodyOf<'AskOpened'>;
  parked: boolean;
  ending: AskEnding | null;
  joined: RequestRecord[];
}

export interface ChangedAskRow {
  readonly askId: string;
  guard: AskGuard;
  /** Null: these events do not say. */
  parked: boolean | null;
  ending: AskEnding | null;
  joined: RequestRecord[];
}

export interface GrantEnd {
  readonly status: 'consumed' | 'revoked';
  readonly by: string;
}

export interface MadeGrantRow {
  readonly grant: Grant;
  end: GrantEnd | null;
}

export interface KeyRow {
  readonly request: RequestRecord;
  readonly askId: string | null;
  outcome: CallOutcome;
}

/** Everything one stream's events change outside of the stream. Later events of the same list are folded into earlier rows. */
export interface DerivedRows {
  readonly asksOpened: Map<string, OpenedAskRow>;
  readonly asksChanged: Map<string, ChangedAskRow>;
  readonly keysMade: KeyRow[];
  /** Ask id -> outcome of every call that waits for it. */
  readonly keysDecided: Map<string, CallOutcome>;
  /** Call id -> fingerprint of the report. */
  readonly keysReported: Map<string, string>;
  readonly grantsMade: Map<string, MadeGrantRow>;
  readonly grantsEnded: Map<string, GrantEnd>;
  /** Call id -> permit id. */
  readonly keysRedeemed: Map<string, string>;
  /** One item for each use of a tenant-wide grant that has a count. */
  readonly grantsUsed: string[];
  readonly killsMade: Map<string, DerivedKill>;
  /** Kill id -> by whom. */
  readonly killsEnded: Map<string, string>;
}

/** A kill switch as it is engaged. */
export type DerivedKill = Extract<LedgerEvent, { type: 'KillSwitchEngaged' }>['body'];

/** Only used when an old event carries no terms of its own. */
const DEFAULT_TERMS = { holdSeconds: 540, passAsk: false };

/** The keys that follow from events which change nothing else, as most do; null: there is more to them. */
export function keysAlone(events: readonly LedgerEvent[]): KeyRow[] | null {
  const keys: KeyRow[] = [];
  for (const event of events) {
    if (event.type === 'SessionStarted') continue;
    if (event.type !== 'ToolCallDecided' || event.body.decision.askId !== null) return null;
    const body = event.body as BodyOf<'ToolCallDecided'>;
    if (holdsKey(body)) keys.push({ request: body.request, askId: null, outcome: outcomeOf(body) });
  }
  return keys;
}

/** Reads the events of one stream in order; throws a TypeError on events that cannot stand together. */
export function rowsOf(events: readonly LedgerEvent[]): DerivedRows {
  const rows: DerivedRows = {
    asksOpened: new Map(),
    asksChanged: new Map(),
    keysMade: [],
    keysDecided: new Map(),
    keysReported: new Map(),
    grantsMade: new Map(),
    grantsEnded: new Map(),
    keysRedeemed: new Map(),
    grantsUsed: [],
    killsMade: new Map(),
    killsEnded: new Map(),
  };
  for (const event of events) addRows(rows, event);
  requireEnds(rows);
  return rows;
}

/** INVARIANT: an ask's calls are answered only by what ends the ask, under the guard on its row. */
function requireEnds(rows: DerivedRows): void {
  for (const askId of rows.keysDecided.keys()) {
    const row = rows.asksOpened.get(askId) ?? rows.asksChanged.get(askId);
    if (!row?.ending) throw new TypeError(`a decision on ask \`${askId}\` without the event that ends it`);
  }
}

function addRows(rows: DerivedRows, event: LedgerEvent): void {
  switch (event.type) {
    case 'ToolCallDecided':
      return decideKeys(rows, event.body as BodyOf<'ToolCallDecided'>);
    case 'ToolResultReported':
      rows.keysReported.set(event.body.callId, resultFingerprint(event.body));
      return;
    case 'PermitRedeemed':
      rows.keysRedeemed.set(event.body.callId, event.body.permitId);
      return;
    case 'GrantCreated':
    case 'GrantConsumed':
    case 'GrantRevoked':
      return addGrantRows(rows, event);
    case 'KillSwitchEngaged':
      rows.killsMade.set(event.body.killId, event.body);
      return;
    case 'KillSwitchReleased':
      rows.killsEnded.set(event.body.killId, event.body.by);
      return;
    default:
      return addAskRows(rows, event);
  }
}

type GrantEvent = Extract<LedgerEvent, { type: 'GrantCreated' | 'GrantConsumed' | 'GrantRevoked' }>;

function addGrantRows(rows: DerivedRows, event: GrantEvent): void {
  switch (event.type) {
    case 'GrantCreated':
      rows.grantsMade.set(event.body.grant.id, { grant: event.body.grant, end: null });
      return;
    case 'GrantConsumed':
      if (event.body.tenantWide === true) rows.grantsUsed.push(event.body.grantId);
      else endGrant(rows, event.body.grantId, { status: 'consumed', by: event.body.callId });
      return;
    case 'GrantRevoked':
      return endGrant(rows, event.body.grantId, { status: 'revoked', by: event.body.by });
  }
}

function addAskRows(rows: DerivedRows, event: LedgerEvent): void {
  switch (event.type) {
    case 'AskOpened': {
      const { askId, request } = event.body;
      rows.asksOpened.set(askId, { body: event.body, parked: false, ending: null, joined: [] });
      rows.keysMade.push({ request, askId, outcome: pendingOutcome(event.body, DEFAULT_TERMS) });
      return;
    }
    case 'AskJoined':
      return joinAsk(rows, event.body);
    case 'AskParked':
      askRow(rows, event.body.askId).parked = true;
      return;
    case 'AskHeld':
      askRow(rows, event.body.askId).parked = false;
      return;
    case 'AskAnswered':
      guardAsk(rows, event.body.askId, 'answer');
      return;
    case 'AskResolved':
      return endAskRow(rows, event.body);
    default:
      return;
  }
}

function askRow(rows: DerivedRows, askId: string): OpenedAskRow | ChangedAskRow {
  const known = rows.asksOpened.get(askId) ?? rows.asksChanged.get(askId);
  if (known) return known;
  const row: ChangedAskRow = { askId, guard: 'open', parked: null, ending: null, joined: [] };
  rows.asksChanged.set(askId, row);
  return row;
}

function guardAsk(rows: DerivedRows, askId: string, guard: AskGuard): void {
  const row = askRow(rows, askId);
  if ('guard' in row && (row.guard === 'open' || guard === 'approve')) row.guard = guard;
}

function endAskRow(rows: DerivedRows, body: BodyOf<'AskResolved'>): void {
  const { by } = body;
  askRow(rows, body.askId).ending = {
    status: body.status,
    by: by.personName ?? by.personId,
    byId: by.personId,
    via: by.channel,
    reason: body.reason,
  };
  guardAsk(rows, body.askId, guardOf(body.status));
}

function guardOf(status: AskStatus): AskGuard {
  switch (status) {
    case 'approved':
      return 'approve';
    case 'rejected':
      return 'answer';
    case 'expired':
      return 'expiry';
    default:
      return 'open';
  }
}

function joinAsk(rows: DerivedRows, body: BodyOf<'AskJoined'>): void {
  const { askId, request } = body;
  const row = askRow(rows, askId);
  row.parked = false;
  row.joined.push(request);
  const first = rows.asksOpened.get(askId);
  const outcome: CallOutcome = first
    ? pendingOutcome(first.body, DEFAULT_TERMS)
    : { ...PENDING, id: request.callId, reason: 'waits for the same question as before', askId };
  rows.keysMade.push({ request, askId, outcome });
}

const PENDING = { decision: 'pending', ruleId: 'ask.joined', layer: 'ask', approvalStatus: null } as const;

function decideKeys(rows: DerivedRows, body: BodyOf<'ToolCallDecided'>): void {
  const outcome = outcomeOf(body);
  const { askId } = body.decision;
  if (askId !== null) {
    for (const made of rows.keysMade) if (made.askId === askId) made.outcome = outcome;
    rows.keysDecided.set(askId, outcome);
  } else if (holdsKey(body)) {
    rows.keysMade.push({ request: body.request, askId: null, outcome });
  }
}

function endGrant(rows: DerivedRows, grantId: string, end: GrantEnd): void {
  const made = rows.grantsMade.get(grantId);
  if (made) made.end = end;
  else rows.grantsEnded.set(grantId, end);
}

/** Joined calls as they are kept in the ask's row: canonical JSON, one per line (the text itself never holds a line break). */
export function joinedText(joined: readonly RequestRecord[]): string | null {
  return joined.length === 0 ? null : joined.map((request) => `${canonicalJson(request)}\n`).join('');
}

/** Reads what `joinedText` wrote. */
export function parseJoined(text: string): RequestRecord[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RequestRecord);
}
