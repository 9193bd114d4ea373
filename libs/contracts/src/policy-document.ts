/** A policy as people write it: which preset, which rules, which limits. */
import { z } from 'zod';
import { channelSchema, effectSchema, modeSchema, presetSchema, riskSchema, ruleSourceSchema } from './vocabulary.js';

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

export const askCapsSchema = z.object({
  perSession: z.number().int().positive().max(1_000_000),
  perMinute: z.number().int().positive().max(1_000_000),
});
export type AskCaps = z.infer<typeof askCapsSchema>;

const names = z.array(z.string().min(1).max(256)).max(200);
/** Which people an ask goes to, and where. Of the lists that choose asks (tools, agents, rules, risk) every given one must fit. */
export const routeSchema = z.strictObject({
  tools: names.optional(),
  agents: names.optional(),
  /** Rule ids; a final `*` stands for any ending. */
  rules: names.optional(),
  risk: z.array(riskSchema).optional(),
  /** `slack`, or with a target `slack:C024BE91L`; absent: every channel that is set up. */
  channels: z
    .array(
      z
        .string()
        .regex(/^(slack|webhook|email)(:\S+)?$/, 'must be `slack`, `webhook` or `email`, with `:target` or without'),
    )
    .max(50)
    .optional(),
  /** `group:NAME`, `person:NAME` or `program:NAME` (a webhook's); absent: everybody with the role; empty: nobody. */
  approvers: z
    .array(z.string().regex(/^(group|person|program):.+$/, 'must be `group:NAME`, `person:NAME` or `program:NAME`'))
    .max(200)
    .optional(),
  /** Channels where such an ask may be rejected but not approved. */
  rejectOnlyOn: z.array(channelSchema).optional(),
  /** Reminds once after this many seconds. */
  remindAfter: z.number().int().positive().max(86_400).optional(),
});
export type Route = z.infer<typeof routeSchema>;

/** Whom an ask went to: null stands for all channels, or for everybody with the role. */
export const askRouteSchema = z.object({
  channels: z.array(z.string()).nullable(),
  approvers: z.array(z.string()).nullable(),
  rejectOnlyOn: z.array(channelSchema),
  remindAfter: z.number().int().nullable(),
});
export type AskRoute = z.infer<typeof askRouteSchema>;

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
    /** May the asks of child sessions reach people through their root? False: child sessions are silent. */
    childAsks: z.boolean().default(true),
    /** The first route that fits an ask tells whom it goes to; none: everybody, on every channel. */
    routes: z.array(routeSchema).max(100).default([]),
    breaker: breakerLimitsSchema.default({ inARow: 3, total: 20, counts: ['policy', 'person'] }),
    /** A call that a person denied is denied again unasked for this many seconds; 0: it is asked again each time. */
    denialMemorySeconds: z.number().int().nonnegative().max(86_400).default(0),
    /** How many questions a session may put in all, and in one minute; more are denied without asking. */
    askCaps: askCapsSchema.default({ perSession: 1_000, perMinute: 120 }),
    /** `commands`: whoever runs a command must do so inside a sandbox; the permit says so. */
    sandbox: z.enum(['none', 'commands']).default('none'),
    /** How long a session may go on calling tools, in seconds; absent: without limit. */
    sessionSeconds: z
      .number()
      .int()
      .positive()
      .max(366 * 24 * 3600)
      .optional(),
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
