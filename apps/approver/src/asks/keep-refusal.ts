/** An answer that did not count: who tried what on which ask, and why it was refused. */
import type { Answerer, AskView } from '@countersign/contracts';
import { appendRecord, type Ledger } from '@countersign/ledger';

export interface Refusal {
  readonly tenantId: string;
  readonly ask: AskView;
  readonly answer: string;
  readonly by: Answerer;
  readonly code: string;
  /** Of a late one: does it say the same as the end of the ask? */
  readonly agrees?: boolean;
}

/** Puts a refused answer on record. */
export async function keepRefusal(
  ledger: Pick<Ledger, 'append'>,
  { ask, tenantId, answer, by, code, agrees }: Refusal,
): Promise<void> {
  const body = { askId: ask.id, answer, by, code, ...(agrees === undefined ? {} : { agrees }) };
  const event = { type: 'AskAnswerRefused', version: 1, body } as const;
  await appendRecord(ledger, { tenantId, streamId: ask.sessionId }, [event]);
}
