/** Turns the units of a round into the matrices of text that the database function `append` takes. */
import { callHashOf, canonicalJson, eventColumns, TENANT_STREAM, type LedgerEvent } from '@countersign/contracts';
import { textMatrix, type Cell } from './array-bytes.js';
import { toColumn, toColumnOrNull } from './column-text.js';
import {
  joinedText,
  keysAlone,
  rowsOf,
  type AskEnding,
  type ChangedAskRow,
  type DerivedKill,
  type DerivedRows,
  type KeyRow,
  type MadeGrantRow,
  type OpenedAskRow,
} from './rows-of.js';
import type { AppendUnit, StreamAppend } from './types.js';

/** The columns of each matrix stand in the comment above `append` in the migrations. */
export interface RoundMatrices {
  readonly streams: Cell[][];
  readonly unmoved: Cell[][];
  readonly epochs: Cell[][];
  readonly raised: Cell[][];
  readonly events: Cell[][];
  readonly asksOpened: Cell[][];
  readonly asksChanged: Cell[][];
  readonly keysMade: Cell[][];
  readonly keysDecided: Cell[][];
  readonly keysReported: Cell[][];
  readonly grantsMade: Cell[][];
  readonly grantsEnded: Cell[][];
  readonly keysRedeemed: Cell[][];
  readonly grantsUsed: Cell[][];
  readonly killsMade: Cell[][];
  readonly killsEnded: Cell[][];
  readonly vault: Cell[][];
}

/** The units must not share a stream. */
export function roundMatrices(units: readonly AppendUnit[]): RoundMatrices {
  const matrices: RoundMatrices = {
    streams: [],
    unmoved: [],
    epochs: [],
    raised: [],
    events: [],
    asksOpened: [],
    asksChanged: [],
    keysMade: [],
    keysDecided: [],
    keysReported: [],
    grantsMade: [],
    grantsEnded: [],
    keysRedeemed: [],
    grantsUsed: [],
    killsMade: [],
    killsEnded: [],
    vault: [],
  };
  units.forEach((unit, index) => addUnit(matrices, unit, index + 1));
  return matrices;
}

/** The arguments of `append`, in its order. */
export function appendArguments(count: number, matrices: RoundMatrices): unknown[] {
  const m = matrices;
  const ledger = [m.streams, m.unmoved, m.epochs, m.raised, m.events];
  const rows = [m.asksOpened, m.asksChanged, m.keysMade, m.keysDecided, m.keysReported, m.grantsMade, m.grantsEnded];
  const later = [m.keysRedeemed, m.grantsUsed, m.killsMade, m.killsEnded, m.vault];
  return [count, ...[...ledger, ...rows, ...later].map(textMatrix)];
}

function addUnit(m: RoundMatrices, unit: AppendUnit, number: number): void {
  for (const { tenantId, epoch } of unit.epochs) m.epochs.push([number, toColumn(tenantId), epoch]);
  for (const { tenantId, streamId, seq } of unit.unmoved) {
    m.unmoved.push([number, toColumn(tenantId), toColumn(streamId), seq]);
  }
  for (const tenantId of unit.raiseEpoch ?? []) m.raised.push([number, toColumn(tenantId)]);
  for (const stream of unit.streams) addStream(m, stream, number);
  for (const { tenantId, callId, kind, keyId, size, sealed } of unit.vault ?? []) {
    m.vault.push([number, toColumn(tenantId), toColumn(callId), kind, toColumn(keyId), size, toColumn(sealed)]);
  }
}

function addStream(m: RoundMatrices, stream: StreamAppend, number: number): void {
  const tenant = toColumn(stream.tenantId);
  const name = toColumn(stream.streamId);
  m.streams.push([
    number,
    tenant,
    name,
    stream.expectedSeq,
    toColumnOrNull(stream.parentId),
    toColumnOrNull(stream.rootId),
    toColumnOrNull(stream.keyId),
    stream.state === null ? null : JSON.stringify(stream.state),
    toColumnOrNull(openingAgent(stream)),
  ]);
  const index = m.streams.length;
  for (const event of stream.events) m.events.push(eventRow(event, index));
  const keys = keysAlone(stream.events);
  if (keys === null) addRows(m, stream, number);
  else for (const row of keys) m.keysMade.push([number, tenant, name, ...keyCells(row)]);
}

/** Everything that a stream's events change outside of the stream. */
function addRows(m: RoundMatrices, stream: StreamAppend, number: number): void {
  const tenant = toColumn(stream.tenantId);
  const name = toColumn(stream.streamId);
  const rows = rowsOf(stream.events);
  addDerived(m, rows, [number, tenant, name]);
  // What the tenant's own stream grants is no session's.
  addGrants(m, rows, [number, tenant, stream.streamId === TENANT_STREAM ? null : name]);
  for (const kill of rows.killsMade.values()) m.killsMade.push([number, tenant, ...killCells(kill)]);
  for (const [killId, by] of rows.killsEnded) m.killsEnded.push([number, tenant, toColumn(killId), toColumn(by)]);
  for (const grantId of rows.grantsUsed) m.grantsUsed.push([number, tenant, toColumn(grantId)]);
}

/** A kill switch on an agent holds all that runs below it, so the head of a session names its agent. */
function openingAgent({ events }: StreamAppend): string | null {
  const [first] = events;
  return first?.type === 'SessionStarted' ? first.body.opening.agent : null;
}

function killCells({ killId, scope, value, reason, by }: DerivedKill): Cell[] {
  return [toColumn(killId), scope, toColumnOrNull(value), toColumn(reason), toColumn(by)];
}

function eventRow(event: LedgerEvent, index: number): Cell[] {
  const columns = eventColumns(event);
  return [
    index,
    event.type,
    event.version,
    toColumnOrNull(columns.callId),
    toColumnOrNull(columns.askId),
    toColumnOrNull(columns.agent),
    toColumnOrNull(columns.tool),
    toColumnOrNull(columns.decision),
    toColumnOrNull(columns.ruleId),
    toColumnOrNull(columns.personId),
    toColumnOrNull(columns.channel),
    canonicalJson(event.body),
  ];
}

function addDerived(m: RoundMatrices, rows: DerivedRows, lead: readonly Cell[]): void {
  for (const row of rows.asksOpened.values()) m.asksOpened.push([...lead, ...openedAskCells(row)]);
  for (const row of rows.asksChanged.values()) m.asksChanged.push([...lead, ...changedAskCells(row)]);
  for (const row of rows.keysMade) m.keysMade.push([...lead, ...keyCells(row)]);
  for (const [askId, outcome] of rows.keysDecided) {
    m.keysDecided.push([...lead, toColumn(askId), JSON.stringify(outcome)]);
  }
  for (const [callId, report] of rows.keysReported) m.keysReported.push([...lead, toColumn(callId), toColumn(report)]);
  for (const [callId, permitId] of rows.keysRedeemed) {
    m.keysRedeemed.push([...lead, toColumn(callId), toColumn(permitId)]);
  }
}

function addGrants(m: RoundMatrices, rows: DerivedRows, lead: readonly Cell[]): void {
  for (const row of rows.grantsMade.values()) m.grantsMade.push([...lead, ...grantCells(row)]);
  for (const [grantId, end] of rows.grantsEnded) {
    m.grantsEnded.push([...lead, toColumn(grantId), end.status, toColumn(end.by)]);
  }
}

function keyCells({ request, askId, outcome }: KeyRow): Cell[] {
  const status = outcome.decision === 'pending' ? 'open' : 'decided';
  const key = [toColumn(request.agent), toColumn(request.toolUseId), request.attempt, toColumn(request.callId)];
  return [...key, toColumn(request.tool), callHashOf(request), status, toColumnOrNull(askId), JSON.stringify(outcome)];
}

function grantCells({ grant, end }: MadeGrantRow): Cell[] {
  const what = [toColumn(grant.id), grant.kind, toColumn(grant.tool), grant.argsHash, toColumnOrNull(grant.pattern)];
  const from = [JSON.stringify(grant.liftsRuleIds), toColumn(grant.askId), toColumnOrNull(grant.personId)];
  return [...what, ...from, grant.expiresAt, end?.status ?? 'active', toColumnOrNull(end?.by), grant.uses ?? null];
}

function openedAskCells({ body, parked, ending, joined }: OpenedAskRow): Cell[] {
  const { request, verdict } = body;
  return [
    toColumn(body.askId),
    toColumn(request.callId),
    toColumn(request.agent),
    toColumn(request.tool),
    request.args.hash,
    toColumn(verdict.ruleId),
    verdict.risk,
    body.timeoutMs,
    ending?.status ?? 'open',
    parked,
    ...endingCells(ending),
    canonicalJson(body),
    joinedText(joined),
  ];
}

function changedAskCells({ askId, guard, parked, ending, joined }: ChangedAskRow): Cell[] {
  const changed = [toColumn(askId), guard, ending?.status ?? null, parked];
  return [...changed, ...endingCells(ending), joinedText(joined)];
}

function endingCells(ending: AskEnding | null): Cell[] {
  if (ending === null) return [null, null, null, null];
  return [toColumnOrNull(ending.by), toColumnOrNull(ending.byId), ending.via, toColumn(ending.reason)];
}
