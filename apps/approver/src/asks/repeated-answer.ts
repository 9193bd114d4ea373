/** Is this answer the one that ended the ask, sent again? */
import { createHash } from 'node:crypto';
import type { AskView } from '@countersign/contracts';
import { answererSchema, canonicalJson, answerScopeSchema, answerSchema } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import { z } from 'zod';
import { createRedactor } from '@countersign/redaction';
import type { AnswerDeps, AnswerInput } from './answer-ask.js';

const answeredSchema = z.object({
  askId: z.string(),
  answer: answerSchema,
  scope: answerScopeSchema,
  by: answererSchema,
  reason: z.string().nullable(),
  edited: z.object({ argsHash: z.string() }).optional(),
});

/** True only for the same person, channel and words; a request with a key of its own is never a repeat here. */
export async function isRepeat({ ledger, vaultKeys }: AnswerDeps, ask: AskView, input: AnswerInput): Promise<boolean> {
  if (!input.keyless || ask.resolvedVia !== input.by.channel || ask.resolvedAt === null) return false;
  const first = await firstAnswer(ledger, ask, input);
  if (first === null) return false;
  // The log holds the words without their secrets.
  const words = input.body.reason === undefined ? null : createRedactor(vaultKeys.tag).text(input.body.reason);
  return (
    samePerson(first, input) && first.scope === input.body.scope && first.reason === words && sameEdit(first, input)
  );
}

type Answered = z.infer<typeof answeredSchema>;

function samePerson({ answer, by }: Answered, input: AnswerInput): boolean {
  return by.personId === input.by.personId && by.channel === input.by.channel && answer === input.body.answer;
}

function sameEdit({ edited }: Answered, { body }: AnswerInput): boolean {
  const hash = body.updatedInput === undefined ? undefined : sha256(canonicalJson(body.updatedInput));
  return edited?.argsHash === hash;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

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
