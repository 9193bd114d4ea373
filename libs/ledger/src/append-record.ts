/** The one way to put something on record that changes no state. */
import type { LedgerEvent } from '@countersign/contracts';
import type { AppendUnit, StreamKey, UnitResult } from './types.js';

/** Whatever appends: a ledger, or one that takes secrets out first. */
export interface Appender {
  append(units: readonly AppendUnit[]): Promise<UnitResult[]>;
}

/** Appends events that change no state after whatever stands in the stream now; the caller says what a refusal means. */
export async function appendRecord(
  ledger: Appender,
  { tenantId, streamId }: StreamKey,
  events: readonly LedgerEvent[],
): Promise<UnitResult | undefined> {
  const stream = { tenantId, streamId, expectedSeq: null, events, state: null };
  const [stored] = await ledger.append([{ streams: [stream], epochs: [], unmoved: [] }]);
  return stored;
}
