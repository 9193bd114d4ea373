/** An answer as it comes in over the door and over channels. */
import { z } from 'zod';
import { answerSchema, answerScopeSchema } from './vocabulary.js';

/** The rule pattern of a grant. */
export const grantPatternSchema = z.string().min(1).max(2_000);
/** Seconds until a grant ends; without them it does not. */
export const grantSecondsSchema = z
  .number()
  .int()
  .positive()
  .max(366 * 24 * 3600);
/** How many calls a grant lets through; without it any number. */
export const grantUsesSchema = z.number().int().positive().max(1_000_000);

/** Looked at and left as it is: a record of zod's would lose a key named `__proto__`, which is an argument like any other. */
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What an answer may say. INVARIANT: nothing else: a field that is misspelt would be passed over, and the call approved as if the
 * person had not written it.
 */
export const answerFieldsSchema = z.strictObject({
  answer: answerSchema,
  scope: answerScopeSchema.default('once'),
  /** For `session` and `always`: the rule pattern that is allowed from now on; absent: this exact call. */
  pattern: grantPatternSchema.optional(),
  /** Of the grant of a `session` or `always` answer. */
  ttl: grantSecondsSchema.optional(),
  /** Of the grant of an `always` answer. */
  uses: grantUsesSchema.optional(),
  /** Arguments that run in place of the agent's, when the answer is `approve`. They are judged first. */
  updatedInput: z.custom<Record<string, unknown>>(isObject, 'must be an object').optional(),
  reason: z.string().max(2_000).optional(),
  /** The version of the ask that was shown; absent: the current one. */
  version: z.number().int().positive().optional(),
});
export type AnswerBody = z.infer<typeof answerFieldsSchema>;

/**
 * For schemas with the fields of an answer: complains of a bound that the answer's scope has no use for. Whoever sets one would
 * otherwise give more than they meant to. A rejection gives nothing, so there it does not matter.
 */
export function checkScope({ answer, scope, ...bounds }: AnswerBody, context: z.core.$RefinementCtx): void {
  if (answer !== 'approve') return;
  const complain = (path: 'pattern' | 'ttl' | 'uses', message: string): void => {
    if (bounds[path] !== undefined) context.addIssue({ code: 'custom', path: [path], message });
  };
  if (scope === 'once') complain('pattern', 'needs the scope `session` or `always`');
  if (scope === 'once') complain('ttl', 'needs the scope `session` or `always`');
  if (scope !== 'always') complain('uses', 'needs the scope `always`');
}

/** An answer as the door takes it. */
export const answerBodySchema = answerFieldsSchema.superRefine(checkScope);
