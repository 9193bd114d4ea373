/** What a webhook answers, in the response to our request or by a call of its own. */
import {
  answerFieldsSchema,
  checkScope,
  jsonProblemText,
  readStrictJson,
  type AnswerBody,
} from '@countersign/contracts';
import { z } from 'zod';

const fieldsSchema = answerFieldsSchema.extend({
  askId: z.string().min(1).max(256),
  /** Somebody linked as `webhook` and `NAME:USER`; absent: the program answers for itself. */
  user: z.string().min(1).max(200).optional(),
});
export type WebhookCall = z.infer<typeof fieldsSchema>;

const callSchema = fieldsSchema.superRefine(checkScope);
const replySchema = fieldsSchema.partial({ askId: true }).superRefine(checkScope);

/** `problem`: one line that says what is wrong with it. */
export type ReadAnswer<T> = { readonly ok: true; readonly call: T } | { readonly ok: false; readonly problem: string };

/** A signed call's body. */
export function readCall(text: string): ReadAnswer<WebhookCall> {
  return read(readStrictJson(text), callSchema);
}

/** The ask that a request was about. */
export interface Asked {
  readonly id: string;
  readonly version: number;
}

/**
 * The answer in a response; null when it holds none: in a response nothing has to be said, and the ask just stays open. INVARIANT: it
 * answers what was asked: one that names another ask or version is refused, and so is one that says something we do not know.
 */
export function readReply(text: string, asked: Asked): ReadAnswer<WebhookCall> | null {
  if (!seemsToAnswer(text)) return null;
  const reply = read(readStrictJson(text), replySchema);
  if (!reply.ok) return reply;
  const { askId = asked.id, version = asked.version } = reply.call;
  if (askId !== asked.id) return { ok: false, problem: 'askId: is not the ask that was sent' };
  return { ok: true, call: { ...reply.call, askId, version } };
}

/** An object with an `answer`, whatever its flaws. */
function seemsToAnswer(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && Object.hasOwn(value, 'answer');
  } catch {
    return false;
  }
}

type Json = ReturnType<typeof readStrictJson>;

function read<T>(json: Json, schema: z.ZodType<T>): ReadAnswer<T> {
  if (!json.ok) return { ok: false, problem: `the JSON is not usable: ${jsonProblemText(json.problem)}` };
  const parsed = schema.safeParse(json.value);
  if (parsed.success) return { ok: true, call: parsed.data };
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  return { ok: false, problem: `${place}${issue?.message ?? 'not as expected'}` };
}

/** The answer without what says whose it is and which ask it is for. */
export function bodyOf({ askId: _askId, user: _user, ...body }: WebhookCall): AnswerBody {
  return body;
}
