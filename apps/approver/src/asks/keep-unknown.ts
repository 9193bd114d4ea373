/** An answer to an ask that the tenant does not have: it is refused, and its tenant's own stream keeps who tried. */
import { DoorError, TENANT_STREAM, type Answerer } from '@countersign/contracts';
import { appendRecord, type Ledger } from '@countersign/ledger';

/** Longest id that is kept of it; ours are shorter. */
const MAX_ID = 200;

/** Always throws `ask.unknown`: whether another tenant has such an ask is not to be seen from here. */
export async function keepUnknown(
  ledger: Pick<Ledger, 'append'>,
  given: { readonly tenantId: string; readonly askId: string; readonly answer: string; readonly by: Answerer },
): Promise<never> {
  const { tenantId, askId, answer, by } = given;
  const body = { askId: askId.slice(0, MAX_ID), answer, by, code: 'ask.unknown' };
  const event = { type: 'AskAnswerRefused', version: 1, body } as const;
  const stored = await appendRecord(ledger, { tenantId, streamId: TENANT_STREAM }, [event]);
  if (!stored?.ok) throw new Error(`a refused answer could not be recorded: ${JSON.stringify(stored)}`);
  throw new DoorError('ask.unknown');
}
