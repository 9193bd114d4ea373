/** The hash chain of a stream, computed outside of the database. The layout is fixed by docs/decisions/0002-chain.md. */
import { createHash } from 'node:crypto';
import type { EventColumns } from '@countersign/contracts';

/** The hashed columns of an event as they are stored; `time` is ISO-8601 UTC with six decimals. */
export interface ChainRow extends EventColumns {
  readonly tenantId: string;
  readonly streamId: string;
  readonly seq: string;
  readonly time: string;
  readonly type: string;
  readonly version: string;
  readonly body: string;
}

/** What the first event of a stream follows: 32 zero bytes, in hex. */
export const CHAIN_START = '00'.repeat(32);

/** `<bytes of UTF-8>:<value>,` or `-,` for NULL. */
function chainColumn(value: string | null): string {
  return value === null ? '-,' : `${Buffer.byteLength(value)}:${value},`;
}

/** SHA-256 of the event's columns and body, each with its length before it. */
export function contentHash(row: ChainRow): Buffer {
  const identity = [row.tenantId, row.streamId, row.seq, row.time, row.type, row.version];
  const columns = [row.callId, row.askId, row.agent, row.tool, row.decision, row.ruleId, row.personId, row.channel];
  const text = [...identity, ...columns, row.body].map(chainColumn).join('');
  return createHash('sha256').update(text, 'utf8').digest();
}

/** The event's hash in hex: SHA-256(previous hash ‖ content hash). */
export function chainHash(prevHash: string, row: ChainRow): string {
  return createHash('sha256').update(Buffer.from(prevHash, 'hex')).update(contentHash(row)).digest('hex');
}
