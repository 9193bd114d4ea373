/** What the engine needs to know from outside: session, time, policy identity. All of it is recorded with the decision. */
import { z } from 'zod';
import { modeSchema } from './vocabulary.js';
import { ruleSchema } from './policy-document.js';
import { resolvedPathsSchema } from './tool-call.js';

/** A durable permission made by an answer. A `once` grant is bound to the exact call by `argsHash`. */
export const grantSchema = z.object({
  id: z.string(),
  kind: z.enum(['once', 'session', 'always']),
  tool: z.string(),
  /** SHA-256 of the canonical arguments, for `once`. */
  argsHash: z.string().nullable(),
  /** The pattern, for `session` and `always`. */
  pattern: z.string().nullable(),
  /** Ids of the rules that had asked: a wider grant lifts only these. */
  liftsRuleIds: z.array(z.string()),
  askId: z.string(),
  personId: z.string().nullable(),
  /** ISO-8601 UTC in the database's clock. */
  expiresAt: z.string().nullable(),
});
export type Grant = z.infer<typeof grantSchema>;

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
});
export type SessionFacts = z.infer<typeof sessionFactsSchema>;

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
});
export type Facts = z.infer<typeof factsSchema>;
