/** What the engine needs to know from outside: session, time, policy identity. All of it is recorded with the decision. */
import { z } from 'zod';
import { effectSchema, killScopeSchema, modeSchema } from './vocabulary.js';
import { ruleSchema } from './policy-document.js';
import { resolvedPathsSchema } from './tool-call.js';

/** A durable permission made by an answer. Without a pattern it is bound to the exact call by `argsHash` and `placeHash`. */
export const grantSchema = z.object({
  id: z.string(),
  kind: z.enum(['once', 'session', 'always']),
  tool: z.string(),
  /** SHA-256 of the canonical arguments; null with a pattern. */
  argsHash: z.string().nullable(),
  /** The place of the call that it was made for, null for none; absent (with a pattern): in any place. */
  placeHash: z.string().nullable().optional(),
  /** What is allowed from now on, for `session` and `always`; null: the exact call. */
  pattern: z.string().nullable(),
  /** Ids of the rules that had asked: a wider grant lifts only these. */
  liftsRuleIds: z.array(z.string()),
  askId: z.string(),
  personId: z.string().nullable(),
  /** ISO-8601 UTC in the database's clock. */
  expiresAt: z.string().nullable(),
  /** How many calls it may let through in all; absent or null: any number. */
  uses: z.number().int().positive().nullable().optional(),
  /** Of a tenant-wide grant: only in sessions that have this root; absent or null: in all of them. */
  root: z.string().nullable().optional(),
  /** True: it holds in every session of the tenant. Absent: only in the session that it was made in. */
  tenantWide: z.boolean().optional(),
});
export type Grant = z.infer<typeof grantSchema>;

/** How far a run has come, as its client reports it. Anything that is not reported is 0 or false. */
export const progressSchema = z.object({
  /** Number of the step, from 1. */
  step: z.number().int().nonnegative(),
  /** Place of this call in the run of identical calls, itself included. */
  repeat: z.number().int().nonnegative(),
  /** Tokens used so far. */
  tokens: z.number().int().nonnegative(),
  /** Several steps brought nothing new. */
  diminishingReturns: z.boolean(),
});
export type Progress = z.infer<typeof progressSchema>;

/** An engaged kill switch in whose scope a call lies. `value` is null for the scope `tenant`. */
export const killFactSchema = z.object({
  killId: z.string(),
  scope: killScopeSchema,
  value: z.string().nullable(),
  reason: z.string(),
});
export type KillFact = z.infer<typeof killFactSchema>;

/** The session as the engine sees it. Ancestors' cancel, stop and breaker are folded in; `heldBy` names the session that holds. */
export const sessionFactsSchema = z.object({
  sessionId: z.string(),
  cancelled: z.boolean(),
  stopped: z.boolean(),
  breakerOpen: z.boolean(),
  heldBy: z.string().nullable(),
  mode: modeSchema,
  silent: z.boolean(),
  subagent: z.boolean(),
  /** Names of the only tools this session may use; null: all. */
  tools: z.array(z.string()).nullable(),
  /** Deny, ask and allow rules added in this session, and denies and asks of its ancestors. */
  rules: z.array(ruleSchema),
  grants: z.array(grantSchema),
  roots: z.array(z.string()),
  cwd: z.string().nullable(),
  home: z.string().nullable(),
  /** Absent: nothing was reported, and no limit on it is reached. */
  progress: progressSchema.optional(),
  /** How often this session and those above it were cancelled or stopped so far. Absent: never. */
  ends: z.number().int().nonnegative().optional(),
  /** The kill switch that holds this very call, by tenant, agent, session or tool. Absent: none. */
  kill: killFactSchema.optional(),
});
export type SessionFacts = z.infer<typeof sessionFactsSchema>;

/**
 * What a hook said of the call before it was judged, in the order of registration. `require_permission` asks; `mutate` puts
 * `updatedArgs` in the place of the arguments; `allow` and `deny` are answers of a PermissionRequest hook to a question.
 */
export const hookResultSchema = z.object({
  on: z.enum(['PreToolUse', 'PermissionRequest']),
  action: z.enum(['continue', 'block', 'mutate', 'require_permission', 'allow', 'deny']),
  reason: z.string().nullable(),
  updatedArgs: z.unknown().optional(),
});
export type HookResult = z.infer<typeof hookResultSchema>;

/** What the tool's own check said of the call. `safety`: a check that no mode passes over. */
export const toolCheckSchema = z.object({
  effect: effectSchema.exclude(['allow']),
  reason: z.string(),
  kind: z.enum(['plain', 'safety']),
});
export type ToolCheck = z.infer<typeof toolCheckSchema>;

/** Everything outside of call and policy that a verdict depends on. */
export const factsSchema = z.object({
  /** ISO-8601 UTC in the database's clock. */
  now: z.string(),
  session: sessionFactsSchema,
  resolvedPaths: resolvedPathsSchema,
  /** Folders that no agent may touch: our own data folder and its like. Absolute. */
  protectedPaths: z.array(z.string()),
  /** node's name of the agent's platform: linux, darwin, win32. */
  platform: z.string(),
  /** Absent: no hook spoke. */
  hooks: z.array(hookResultSchema).optional(),
  /** Absent: the tool has no check of its own. */
  toolChecks: z.array(toolCheckSchema).optional(),
  /** Whoever runs the tool vouches that it runs inside a sandbox. Absent: it does not. */
  sandboxed: z.boolean().optional(),
  /** The tool cannot run without a person, as whoever runs it says. Absent: as its manifest says. */
  requiresUserInteraction: z.boolean().optional(),
  /** What the classifier of mode `auto` said. Absent: it was not asked. */
  classifier: z.enum(['safe', 'unsafe', 'unavailable']).optional(),
});
export type Facts = z.infer<typeof factsSchema>;
