/** The shape of a row of `sequences.jsonl`: a set-up and the steps in it, each with what must be seen. */
import { z } from 'zod';

const expected = z.record(z.string(), z.unknown());
const hook = z.looseObject({ on: z.string().optional(), action: z.string() });

const callSchema = z.looseObject({
  id: z.string(),
  tool: z.string(),
  args: z.unknown(),
  context: z
    .looseObject({
      agent: z.string().optional(),
      resolveError: z.record(z.string(), z.string()).optional(),
      hooks: z.array(hook).optional(),
    })
    .optional(),
});
export type CallWish = z.infer<typeof callSchema>;

const answerSchema = z.object({
  call: z.string(),
  decision: z.enum(['allow', 'deny', 'allow_always', 'cancel']),
  channel: z.string(),
  by: z.string(),
});
export type AnswerWish = z.infer<typeof answerSchema>;

const reportSchema = z.object({
  call: z.string(),
  status: z.enum(['ok', 'error', 'cancelled']),
  error: z.string().optional(),
  elapsedMs: z.number().optional(),
  output: z.string().optional(),
  outputRepeat: z.tuple([z.string(), z.number()]).optional(),
  background: z.boolean().optional(),
});
export type ReportWish = z.infer<typeof reportSchema>;

const commandSchema = z.looseObject({ name: z.string() });
export type CommandWish = z.infer<typeof commandSchema>;

const checkSchema = z.looseObject({ what: z.string(), call: z.string().optional() });
export type CheckWish = z.infer<typeof checkSchema>;

const stepSchema = z.union([
  z.strictObject({ call: callSchema, expected }),
  z.strictObject({ batch: z.array(callSchema), expected }),
  z.strictObject({ answer: answerSchema, expected }),
  z.strictObject({ report: reportSchema, expected }),
  z.strictObject({ command: commandSchema, expected }),
  z.strictObject({ advance: z.object({ seconds: z.number() }), expected }),
  z.strictObject({ check: checkSchema, expected }),
]);
export type Step = z.infer<typeof stepSchema>;

export const sequenceRowSchema = z.looseObject({
  id: z.string(),
  preset: z.string(),
  mode: z.string(),
  policy: z.looseObject({}),
  roots: z.array(z.string()),
  cwd: z.string(),
  home: z.string(),
  session: z.strictObject({ interactive: z.boolean() }).optional(),
  manifest: z.array(z.looseObject({ name: z.string() })).default([]),
  hooks: z.array(hook).default([]),
  steps: z.array(stepSchema),
  why: z.string(),
});
export type SequenceRow = z.infer<typeof sequenceRowSchema>;
