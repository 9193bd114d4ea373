/** One verdict case as data: a call, its surroundings, and what must come out. */
import { effectSchema, modeSchema, presetSchema, ruleInputSchema } from '@countersign/contracts';
import { z } from 'zod';

/** Fields that the engine does not know are kept and ignored, so that a case file may say more than this. */
export const caseRowSchema = z.looseObject({
  id: z.string(),
  preset: presetSchema,
  mode: z.union([modeSchema, z.literal('none')]).default('default'),
  policy: z
    .looseObject({
      deny: z.array(ruleInputSchema).default([]),
      ask: z.array(ruleInputSchema).default([]),
      allow: z.array(ruleInputSchema).default([]),
      options: z.record(z.string(), z.unknown()).default({}),
    })
    .default({ deny: [], ask: [], allow: [], options: {} }),
  roots: z.array(z.string()).optional(),
  cwd: z.string().nullable().default(null),
  home: z.string().nullable().default(null),
  tool: z.string(),
  args: z.unknown(),
  context: z
    .looseObject({
      resolved: z.record(z.string(), z.string().nullable()).default({}),
      resolveError: z.unknown().optional(),
      platform: z.string().default('linux'),
      silent: z.boolean().default(false),
      subagent: z.boolean().default(false),
      interactive: z.boolean().default(true),
      allowedTools: z.array(z.string()).nullable().default(null),
      session: z.looseObject({ cancelled: z.boolean().default(false) }).default({ cancelled: false }),
    })
    .nullish(),
  expected: z.looseObject({ effect: effectSchema.optional(), ruleId: z.string().optional() }),
  acceptable: z.array(effectSchema).default([]),
  why: z.string().default(''),
});
/** A case with its defaults filled in. */
export type CaseRow = z.infer<typeof caseRowSchema>;
