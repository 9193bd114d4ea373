/** Is this answer the one that ended the ask, sent again? */
import type { AskView } from '@countersign/contracts';
import { answererSchema, answerScopeSchema, answerSchema } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import { z } from 'zod';
import type { AnswerInput } from './answer-ask.js';

const answeredSchema = z.object({
  askId: z.string(),
  answer: answerSchema,
  scope: answerScopeSchema,
  by: answererSchema,
  reason: z.string().nullable(),
});

/** True only for the same person, channel and words; a request with a key of its own is never a repeat here. */
export async function isRepeat(ledger: Ledger, ask: AskView, input: AnswerInput): Promise<boolean> {
  if (!input.keyless || ask.resolvedVia !== input.by.channel || ask.resolvedAt === null) return false;
  const first = await firstAnswer(ledger, ask, input);
  if (first === null) return false;
  const { answer, scope, by, reason } = first;
  return (
    by.personId === input.by.personId &&
    by.channel === input.by.channel &&
    answer === input.body.answer &&
    scope === input.body.scope &&
    reason === (input.body.reason ?? null)
  );
}

/** The recorded answer of this ask; looked for between its opening and its end. */
async function firstAnswer(ledger: Ledger, ask: AskView, input: AnswerInput) {
  let cursor: string | undefined;
  do {
    const page = await ledger.events.list(input.tenantId, {
      session: ask.sessionId,
      type: 'AskAnswered',
      from: ask.openedAt,
      limit: 200,
      ...(input.by.personId === null ? {} : { person: input.by.personId }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    const found = page.items.find((event) => event.askId === ask.id);
    if (found) return answeredSchema.parse(found.body);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return null;
}
