/** An answer that did not count: who tried what on which ask, and why it was refused. */
import type { Answerer, AskView } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';

export interface Refusal {
  readonly tenantId: string;
  readonly ask: AskView;
  readonly answer: string;
  readonly by: Answerer;
  readonly code: string;
  /** Of a late one: does it say the same as the end of the ask? */
  readonly agrees?: boolean;
}

/** Puts a refused answer on record. Of one that contradicts, whoever was first is told on the channel that they answered on. */
export async function keepRefusal(
  ledger: Pick<Ledger, 'recordRefused'>,
  { ask, tenantId, answer, by, code, agrees }: Refusal,
): Promise<void> {
  const body = { askId: ask.id, answer, by, code, ...(agrees === undefined ? {} : { agrees }) };
  await ledger.recordRefused({ tenantId, streamId: ask.sessionId }, { type: 'AskAnswerRefused', version: 1, body });
}
