/** One verdict case as data: a call, its surroundings, and what must come out. */
import { effectSchema, modeSchema, presetSchema, ruleInputSchema } from '@countersign/contracts';
import { z } from 'zod';

/** Places in runs count from 1; `consecutiveDenials` and `totalDenials` are those before this call. */
const sessionSchema = z.looseObject({
  cancelled: z.boolean().default(false),
  repeat: z.number().default(0),
  step: z.number().default(0),
  tokens: z.number().default(0),
  diminishingReturns: z.boolean().default(false),
  consecutiveDenials: z.number().default(0),
  totalDenials: z.number().default(0),
});

/** What a hook of the case says, in the order of registration. */
const hookSchema = z.looseObject({
  on: z.enum(['PreToolUse', 'PermissionRequest']).default('PreToolUse'),
  action: z.enum(['continue', 'block', 'mutate', 'permission_required', 'allow', 'deny']),
  reason: z.string().optional(),
  permission: z.string().optional(),
  updated_args: z.unknown().optional(),
});

const toolLevelSchema = z.looseObject({
  effect: z.enum(['ask', 'deny']),
  reason: z.string(),
  kind: z.enum(['plain', 'safety']).default('plain'),
});

/** What the engine alone decides of a case. `message` is the reason of an ask; `precedence` and `step` name the winner's level. */
const expectedSchema = z.looseObject({
  effect: effectSchema.optional(),
  ruleId: z.string().optional(),
  precedence: z.string().optional(),
  step: z.string().optional(),
  overridden: z.array(z.string()).optional(),
  code: z.string().optional(),
  reason: z.string().optional(),
  message: z.string().optional(),
  ruleSource: z.string().optional(),
  finalArgs: z.unknown().optional(),
  traits: z.record(z.string(), z.unknown()).optional(),
});

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
      session: sessionSchema.prefault({}),
      hooks: z.array(hookSchema).optional(),
      toolLevel: z.array(toolLevelSchema).optional(),
      sandboxed: z.boolean().optional(),
      requiresUserInteraction: z.boolean().optional(),
      classifier: z.enum(['safe', 'unsafe', 'unavailable']).optional(),
    })
    .nullish(),
  expected: expectedSchema,
  acceptable: z.array(effectSchema).default([]),
  why: z.string().default(''),
});
/** A case with its defaults filled in. */
export type CaseRow = z.infer<typeof caseRowSchema>;
