/** What a webhook answers, in the response to our request or by a call of its own. */
import { answerBodySchema, readStrictJson, type AnswerBody } from '@countersign/contracts';
import { z } from 'zod';

/** In a response nothing has to be said: then the ask just stays open. */
const replySchema = answerBodySchema.pick({ answer: true, reason: true, scope: true, ttl: true, pattern: true });

/** The answer in a response; null when it holds none. */
export function readReply(text: string, version: number): AnswerBody | null {
  const value = readJson(text);
  const reply = replySchema.safeParse(value);
  return reply.success ? { ...reply.data, version } : null;
}

const callSchema = answerBodySchema.extend({
  askId: z.string().min(1).max(256),
  /** Somebody linked as `webhook` and `NAME:USER`; absent: the program answers for itself. */
  user: z.string().min(1).max(200).optional(),
});
export type WebhookCall = z.infer<typeof callSchema>;

/** A signed call's body, or one line that says what is wrong with it. */
export function readCall(text: string): { ok: true; call: WebhookCall } | { ok: false; problem: string } {
  const parsed = callSchema.safeParse(readJson(text));
  if (parsed.success) return { ok: true, call: parsed.data };
  const [issue] = parsed.error.issues;
  return { ok: false, problem: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not as expected'}` };
}

/** Undefined for what is no JSON, or JSON that two readers may read differently. */
function readJson(text: string): unknown {
  const read = readStrictJson(text);
  return read.ok ? read.value : undefined;
}
