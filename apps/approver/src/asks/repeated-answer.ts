/** Is this answer the one that ended the ask, sent again? */
import { createHash } from 'node:crypto';
import { answererSchema, answerSchema, canonicalJson, type AskView } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import { createRedactor } from '@countersign/redaction';
import type { VaultKeys } from '@countersign/server';
import { z } from 'zod';
import type { AnswerDeps, AnswerInput } from './answer-ask.js';

const answeredSchema = z.object({
  askId: z.string(),
  answer: answerSchema,
  by: answererSchema,
  repeatHash: z.string().optional(),
});
type Answered = z.infer<typeof answeredSchema>;

/**
 * SHA-256 in hex of what an answer has in common with its repetitions only: the Idempotency-Key when it came with one, else
 * everything that it says. It is stored with the answer, so that a repetition is known even when the first response was lost.
 */
export function repeatHashOf(vaultKeys: Pick<VaultKeys, 'tag'>, { body, requestKey }: AnswerInput): string {
  if (requestKey !== undefined) return sha256(canonicalJson(['key', requestKey]));
  const { answer, scope, pattern = null, ttl = null, uses = null, updatedInput = null } = body;
  // A hash of a short secret gives the secret away, so it is made of the words without it.
  const reason = body.reason === undefined ? null : createRedactor(vaultKeys.tag).text(body.reason);
  return sha256(canonicalJson(['words', answer, scope, reason, pattern, ttl, uses, updatedInput]));
}

/** True only for the same person and channel, with the same Idempotency-Key or, where neither has one, the same words. */
export async function isRepeat({ ledger, vaultKeys }: AnswerDeps, ask: AskView, input: AnswerInput): Promise<boolean> {
  if (ask.resolvedVia !== input.by.channel || ask.resolvedAt === null) return false;
  // Names are unique and never change, so whoever has another one did not answer first.
  if (ask.resolvedBy !== (input.by.personName ?? input.by.personId)) return false;
  const first = await firstAnswer(ledger, ask, input);
  return first !== null && samePerson(first, input) && first.repeatHash === repeatHashOf(vaultKeys, input);
}

function samePerson({ answer, by }: Answered, input: AnswerInput): boolean {
  return by.personId === input.by.personId && by.channel === input.by.channel && answer === input.body.answer;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The recorded answer of this ask; looked for between its opening and its end. */
async function firstAnswer(ledger: Ledger, ask: AskView, input: AnswerInput): Promise<Answered | null> {
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
