/** HTTP shapes of the doors, and the one door x role table. */
import { z } from 'zod';
import {
  answerSchema,
  answerScopeSchema,
  askStatusSchema,
  modeSchema,
  riskSchema,
  roleSchema,
  type Role,
} from './vocabulary.js';
import { resolvedPathsSchema } from './tool-call.js';
import { ruleInputSchema } from './policy-document.js';
import { matchSchema } from './verdict.js';

const id = z.string().min(1).max(256);
/** Session ids come from agents; `@` begins only our own streams. */
const sessionId = id.regex(/^[^@]/, 'must not begin with `@`');
const path = z.string().min(1).max(4_096);
/** What people read in lists: nothing that hides, breaks or turns around the text beside it. */
const CONTROL_OR_BIDI = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
/** Text of 1 to `max` characters without control and bidirectional characters. */
export const plainText = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => !CONTROL_OR_BIDI.test(text), 'must not hold control or bidirectional characters');
/** Name of a tenant's policy. */
export const policyNameSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/i, 'must be 1 to 64 letters, digits, `.`, `_` or `-`, a letter or digit first');
const MAX_LABELS = 32;

export const openSessionBodySchema = z.object({
  id: sessionId.optional(),
  agent: id,
  parentId: sessionId.optional(),
  policy: id.optional(),
  mode: modeSchema.optional(),
  cwd: path.optional(),
  roots: z.array(path).max(64).optional(),
  silent: z.boolean().optional(),
  tools: z.array(id).max(512).optional(),
  labels: z
    .record(plainText(64), z.literal('').or(plainText(256)))
    .refine((labels) => Object.keys(labels).length <= MAX_LABELS, `must be at most ${MAX_LABELS}`)
    .optional(),
});
export type OpenSessionBody = z.infer<typeof openSessionBodySchema>;

/** `args` may be anything: what is not an object is a recorded deny, not a 400. */
export const toolCallBodySchema = z.object({
  sessionId,
  toolUseId: id,
  attempt: z.number().int().positive().max(1_000_000).optional(),
  tool: id,
  args: z.unknown(),
  cwd: path.optional(),
  agent: id.optional(),
  resolvedPaths: resolvedPathsSchema.optional(),
  /** Seconds to wait for people; 25 by default. */
  wait: z.number().min(0).max(60).optional(),
  description: z.string().max(10_000).optional(),
});
export type ToolCallBody = z.infer<typeof toolCallBodySchema>;

export const resultBodySchema = z.object({
  status: z.enum(['succeeded', 'failed', 'cancelled']),
  output: z
    .string()
    .max(32 * 1024 * 1024)
    .optional(),
  elapsedMs: z.number().nonnegative().optional(),
  error: z.string().max(100_000).optional(),
});
export type ResultBody = z.infer<typeof resultBodySchema>;

export const endSessionBodySchema = z.object({ reason: z.string().max(2_000).optional() });
export const modeBodySchema = z.object({ mode: modeSchema });
export const sessionRulesBodySchema = z.object({
  deny: z.array(ruleInputSchema).max(200).optional(),
  ask: z.array(ruleInputSchema).max(200).optional(),
  allow: z.array(ruleInputSchema).max(200).optional(),
  remove: z.array(id).max(200).optional(),
});

export const answerBodySchema = z.object({
  answer: answerSchema,
  scope: answerScopeSchema.default('once'),
  reason: z.string().max(2_000).optional(),
  /** The version of the ask that was shown; absent: the current one. */
  version: z.number().int().positive().optional(),
});
export type AnswerBody = z.infer<typeof answerBodySchema>;

/** An ask as approvers see it. */
export const askViewSchema = z.object({
  id,
  status: askStatusSchema,
  version: z.number().int(),
  sessionId: z.string(),
  /** Session ids from the root down to the one that asks. */
  path: z.array(z.string()),
  callId: z.string(),
  agent: z.string(),
  tool: z.string(),
  /** Canonical JSON text of the arguments, escaped for display. */
  args: z.string(),
  argsHash: z.string(),
  cwd: z.string().nullable(),
  ruleId: z.string(),
  reason: z.string(),
  risk: riskSchema,
  matches: z.array(matchSchema),
  agentSays: z.string().nullable(),
  openedAt: z.string(),
  /** Null: the ask waits without limit. */
  deadline: z.string().nullable(),
  resolvedAt: z.string().nullable(),
  resolvedBy: z.string().nullable(),
  resolvedVia: z.string().nullable(),
});
export type AskView = z.infer<typeof askViewSchema>;

export const personBodySchema = z.object({
  name: plainText(200),
  groups: z.array(plainText(100)).max(50).default([]),
  roles: z.array(roleSchema).min(1).default(['approver']),
});

export const pageQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  cursor: z.string().max(500).optional(),
});

export const eventQuerySchema = pageQuerySchema.extend({
  session: z.string().optional(),
  tool: z.string().optional(),
  decision: z.enum(['allow', 'deny', 'ask']).optional(),
  rule: z.string().optional(),
  person: z.string().optional(),
  channel: z.string().optional(),
  type: z.string().optional(),
  call: z.string().optional(),
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
});
export type EventQuery = z.infer<typeof eventQuerySchema>;

/** One row of the door x role table. `app` serves it; `roles` may use it; an empty list means no key is needed. */
export interface Door {
  readonly app: 'gateway' | 'approver';
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly roles: readonly Role[];
}

const door = (app: Door['app'], method: Door['method'], doorPath: string, ...roles: Role[]): Door => ({
  app,
  method,
  path: doorPath,
  roles,
});

/** Every door and who may use it. A route that is missing here is refused at start-up. */
export const DOORS: readonly Door[] = [
  door('gateway', 'POST', '/v1/sessions', 'agent'),
  door('gateway', 'POST', '/v1/tool-calls', 'agent'),
  door('gateway', 'GET', '/v1/tool-calls/:id', 'agent'),
  door('gateway', 'POST', '/v1/tool-calls/:id/result', 'agent'),
  door('gateway', 'POST', '/v1/sessions/:id/cancel', 'agent', 'approver', 'admin'),
  door('gateway', 'POST', '/v1/sessions/:id/stop', 'agent', 'approver', 'admin'),
  door('gateway', 'POST', '/v1/sessions/:id/mode', 'agent', 'approver', 'admin'),
  door('gateway', 'POST', '/v1/sessions/:id/rules', 'agent', 'approver', 'admin'),
  door('gateway', 'POST', '/v1/sessions/:id/reset-breaker', 'approver', 'admin'),
  /** The hook door answers 200 whatever the key: it checks the role itself and refuses in the agent's own form. */
  door('gateway', 'POST', '/hooks/:agent'),
  /** Signing in brings its own proof: a one-time code or a key in the body. */
  door('approver', 'POST', '/sign-in'),
  door('approver', 'GET', '/sign-in/session', 'approver', 'admin'),
  door('approver', 'POST', '/sign-out', 'approver', 'admin'),
  door('approver', 'GET', '/v1/asks', 'approver', 'admin'),
  door('approver', 'GET', '/v1/asks/:id', 'approver', 'admin'),
  door('approver', 'POST', '/v1/asks/:id/answer', 'approver', 'admin'),
  door('approver', 'GET', '/v1/sessions', 'approver', 'auditor', 'admin'),
  door('approver', 'GET', '/v1/sessions/:id', 'approver', 'auditor', 'admin'),
  door('approver', 'GET', '/v1/events', 'auditor', 'admin'),
  door('approver', 'GET', '/v1/verify', 'auditor', 'admin'),
  door('approver', 'GET', '/v1/people', 'admin'),
  door('approver', 'POST', '/v1/people', 'admin'),
  door('approver', 'POST', '/v1/people/:id/keys', 'admin'),
  door('approver', 'POST', '/v1/keys', 'admin'),
  door('approver', 'DELETE', '/v1/keys/:id', 'admin'),
  door('approver', 'GET', '/v1/policies/:name', 'admin', 'auditor'),
  door('approver', 'PUT', '/v1/policies/:name', 'admin'),
];
