/** A policy as people write it: which preset, which rules, which limits. */
import { z } from 'zod';
import { effectSchema, modeSchema, presetSchema, ruleSourceSchema } from './vocabulary.js';

/** A rule as an object; a plain string is the pattern alone. `match` / `notMatch` are examples checked at load. */
export const ruleObjectSchema = z.object({
  rule: z.string().min(1).max(2_000),
  id: z.string().min(1).max(200).optional(),
  source: ruleSourceSchema.optional(),
  reason: z.string().max(2_000).optional(),
  order: z.number().int().optional(),
  origin: z.string().optional(),
  match: z.array(z.string()).optional(),
  notMatch: z.array(z.string()).optional(),
});
export const ruleInputSchema = z.union([z.string().min(1).max(2_000), ruleObjectSchema]);
export type RuleInput = z.infer<typeof ruleInputSchema>;

/** A rule with every default filled in. */
export const ruleSchema = z.object({
  id: z.string(),
  effect: effectSchema,
  pattern: z.string(),
  source: ruleSourceSchema,
  reason: z.string(),
  order: z.number().int(),
  match: z.array(z.string()),
  notMatch: z.array(z.string()),
});
export type Rule = z.infer<typeof ruleSchema>;

/** Time-outs of asks: after how many seconds, and what then. There is no outcome that allows. */
export const askTimeoutSchema = z.object({
  after: z
    .number()
    .int()
    .positive()
    .max(30 * 24 * 3600),
  outcome: z.enum(['deny', 'park']),
});

/** When denials stop a session, and whose denials count: the engine's, people's, and those of asks that ran out. */
export const breakerLimitsSchema = z.object({
  inARow: z.number().int().positive(),
  total: z.number().int().positive(),
  counts: z.array(z.enum(['policy', 'person', 'expiry'])),
});
export type BreakerLimits = z.infer<typeof breakerLimitsSchema>;

export const policyDocumentSchema = z
  .object({
    preset: presetSchema.default('standard'),
    mode: modeSchema.default('default'),
    /** Modes that an agent may choose by itself. */
    agentModes: z.array(modeSchema).default(['default', 'acceptEdits', 'plan', 'dontAsk']),
    deny: z.array(ruleInputSchema).default([]),
    ask: z.array(ruleInputSchema).default([]),
    allow: z.array(ruleInputSchema).default([]),
    /** Effect of a tool that the manifest does not know; absent: the preset's own. */
    unknownTool: effectSchema.exclude(['allow']).optional(),
    askTimeout: askTimeoutSchema.default({ after: 600, outcome: 'deny' }),
    /** How long a waiting hook is held, in seconds; must stay below the agent's own time-out. */
    holdSeconds: z.number().int().positive().max(3_500).default(540),
    /** Hand questions to the agent's own prompt instead of our channels. */
    passAsk: z.boolean().default(false),
    /** May a silent or child session's ask reach people through its root? */
    childAsks: z.boolean().default(true),
    breaker: breakerLimitsSchema.default({ inARow: 3, total: 20, counts: ['policy', 'person'] }),
    roots: z.array(z.string()).default([]),
    additionalDirectories: z.array(z.string()).default([]),
    /** Tools of the tenant's own, and its own entries for tools of the preset; each is checked when the policy is compiled. */
    tools: z.array(z.record(z.string(), z.unknown())).max(500).optional(),
    maxCommandLength: z.number().int().positive().max(65_536).default(10_000),
    /** Settings that only some presets read; their names are checked by the preset. */
    options: z.record(z.string(), z.unknown()).default({}),
  })
  .strict();
/** A policy document with its defaults filled in. */
export type PolicyDocument = z.infer<typeof policyDocumentSchema>;
/** A policy document as written. */
export type PolicyInput = z.input<typeof policyDocumentSchema>;
