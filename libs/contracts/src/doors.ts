/** HTTP shapes of the doors, and the one door x role table. */
import { z } from 'zod';
import { grantPatternSchema, grantSecondsSchema, grantUsesSchema } from './answer-body.js';
import { askStatusSchema, killScopeSchema, modeSchema, riskSchema, roleSchema, type Role } from './vocabulary.js';
import { resolvedPathsSchema } from './tool-call.js';
import { askRouteSchema, ruleInputSchema } from './policy-document.js';
import { matchSchema } from './verdict.js';

const id = z.string().min(1).max(256);
/** Session ids come from agents; `@` begins only our own streams. */
const sessionId = id.regex(/^[^@\p{Cc}]\P{Cc}*$/u, 'must not begin with `@`, nor hold control characters');
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
  /** Ids of the parent's grants that are handed over. */
  grants: z.array(id).max(64).optional(),
  labels: z
    .record(plainText(64), z.literal('').or(plainText(256)))
    .refine((labels) => Object.keys(labels).length <= MAX_LABELS, `must be at most ${MAX_LABELS}`)
    .optional(),
});
export type OpenSessionBody = z.infer<typeof openSessionBodySchema>;

/** A tool-use id may name a file where results are kept: nothing in it leads elsewhere. */
export const toolUseIdSchema = id.regex(/^[^./\\\p{Cc}][^/\\\p{Cc}]*$/u, 'must hold no slash and no control character');

/** `args` may be anything: what is not an object is a recorded deny, not a 400. */
export const toolCallBodySchema = z.object({
  sessionId,
  toolUseId: toolUseIdSchema,
  attempt: z.number().int().positive().max(1_000_000).optional(),
  tool: id,
  args: z.unknown(),
  cwd: path.optional(),
  agent: id.optional(),
  resolvedPaths: resolvedPathsSchema.optional(),
  /** The MCP server that the call goes to, by its real name. */
  mcpServer: id.optional(),
  /** Seconds to wait for people; 25 by default. */
  wait: z.number().min(0).max(60).optional(),
  /** True: an allow comes with a permit. */
  permit: z.boolean().optional(),
  description: z.string().max(10_000).optional(),
});
export type ToolCallBody = z.infer<typeof toolCallBodySchema>;

/** Most calls of one step. */
export const MAX_STEP_CALLS = 64;

/** What stands once for the whole step: `cwd` and `agent` for calls that name none of their own. */
const OF_STEP = { sessionId: true, wait: true, permit: true, cwd: true, agent: true } as const;
/** Of these a call may have its own. */
const { cwd, agent, ...onlyOfStep } = toolCallBodySchema.pick(OF_STEP).shape;
const ofCall = toolCallBodySchema.omit(OF_STEP).shape;

/** Members of the single door in a place where they would mean nothing: refused, never passed over. */
const nowhere = (members: object) =>
  z.looseObject({}).superRefine((body, context) => {
    for (const name of Object.keys(members)) {
      if (!Object.hasOwn(body, name)) continue;
      context.addIssue({ code: 'custom', path: [name], message: 'does not belong here: see the form of a step' });
    }
  });

/**
 * The calls of one step, decided together and in this order. A call takes every member that `POST /v1/tool-calls` takes, but for
 * those of the step. `wait` as for a single call.
 */
export const batchBodySchema = nowhere(ofCall).pipe(
  z.object({
    ...onlyOfStep,
    cwd,
    agent,
    calls: z
      .array(nowhere(onlyOfStep).pipe(z.object({ ...ofCall, cwd, agent })))
      .min(1)
      .max(MAX_STEP_CALLS),
  }),
);
export type BatchBody = z.infer<typeof batchBodySchema>;

/** What the agent's loop reports; see `Told` for the answer. Totals so far, never increments. */
export const stepBodySchema = z.object({
  step: z.number().int().nonnegative().max(1_000_000_000),
  newInformation: z.boolean().optional(),
  completed: z.boolean().optional(),
});
export const usageBodySchema = z.object({ tokens: z.number().int().nonnegative().max(1_000_000_000_000) });
export const promptBodySchema = z.object({ text: z.string().max(4 * 1024 * 1024) });
export const compactionBodySchema = z.object({
  phase: z.enum(['pre', 'post']).default('post'),
  ok: z.boolean().optional(),
});
/** Silence is only set, tools are only taken away. */
export const limitsBodySchema = z.object({
  silent: z.literal(true).optional(),
  tools: z.array(id).max(512).optional(),
});

export const resultBodySchema = z.object({
  status: z.enum(['succeeded', 'failed', 'cancelled']),
  output: z
    .string()
    .max(32 * 1024 * 1024)
    .optional(),
  elapsedMs: z.number().nonnegative().optional(),
  error: z.string().max(100_000).optional(),
  /** The call went on in the background: its result is handed over with the agent's next step. */
  background: z.boolean().optional(),
});
export type ResultBody = z.infer<typeof resultBodySchema>;

/** The permit, and what is about to run: what is given must be what was allowed. `args` is always needed. */
export const redeemBodySchema = z.strictObject({
  permit: z.string().min(1).max(32_768),
  tool: id.optional(),
  args: z.record(z.string(), z.unknown()),
  cwd: path.nullable().optional(),
});
export type RedeemBody = z.infer<typeof redeemBodySchema>;

export const killSwitchBodySchema = z.strictObject({
  scope: killScopeSchema,
  /** The agent's, session's or tool's name; absent for the whole tenant. */
  value: id.optional(),
  reason: plainText(2_000),
});
export type KillSwitchBody = z.infer<typeof killSwitchBodySchema>;

export const endSessionBodySchema = z.object({ reason: z.string().max(2_000).optional() });
export const modeBodySchema = z.object({ mode: modeSchema });
export const sessionRulesBodySchema = z.object({
  deny: z.array(ruleInputSchema).max(200).optional(),
  ask: z.array(ruleInputSchema).max(200).optional(),
  allow: z.array(ruleInputSchema).max(200).optional(),
  remove: z.array(id).max(200).optional(),
});

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
  /** Whom it went to and who may answer; null: everybody with the role, on every channel. */
  route: askRouteSchema.nullable(),
  /** The deadline in effect: the time that kill switches froze is added. Null: the ask waits without limit. */
  deadline: z.string().nullable(),
  /** A kill switch is engaged in whose scope the ask lies: only reject is possible. */
  frozen: z.boolean(),
  resolvedAt: z.string().nullable(),
  resolvedBy: z.string().nullable(),
  resolvedVia: z.string().nullable(),
  /** What an approver put in the place of `args` and what runs instead, as `args` is written; null: nothing. */
  editedArgs: z.string().nullable().default(null),
});
export type AskView = z.infer<typeof askViewSchema>;

/** A pattern that an "always" answer may allow, with calls that it would and would not let through. */
export const suggestionViewSchema = z.object({
  pattern: z.string(),
  preview: z.object({
    wouldMatch: z.array(z.unknown()),
    wouldNotMatch: z.array(z.unknown()),
  }),
});

/** An answer that came after another one had ended the ask, and says something else. It changed nothing. */
export const lateAnswerSchema = z.object({
  answer: z.enum(['approve', 'reject', 'cancel']),
  by: z.string().nullable(),
  via: z.string(),
  at: z.string(),
});
export type LateAnswer = z.infer<typeof lateAnswerSchema>;

/** An ask with what an approver needs to answer it well. */
export const askDetailSchema = askViewSchema.extend({
  explanation: z.object({ riskLevel: z.string(), explanation: z.string(), reasoning: z.string(), risk: z.string() }),
  /** The narrowest first; empty when no grant may answer it. */
  suggestions: z.array(suggestionViewSchema),
  /** The latest first, a few of them. */
  late: z.array(lateAnswerSchema),
});
export type AskDetail = z.infer<typeof askDetailSchema>;

/** A grant as an admin makes it, without an ask. */
export const grantBodySchema = z.object({
  pattern: grantPatternSchema,
  /** Only in sessions with this root; absent: in every session of the tenant. */
  root: path.optional(),
  ttl: grantSecondsSchema.optional(),
  uses: grantUsesSchema.optional(),
  /** Ids of the asking rules that it lifts; absent: those of the preset that ask because nothing else speaks. */
  lifts: z.array(id).max(50).optional(),
});
export type GrantBody = z.infer<typeof grantBodySchema>;

export const personBodySchema = z.object({
  name: plainText(200),
  groups: z.array(plainText(100)).max(50).default([]),
  roles: z.array(roleSchema).min(1).default(['approver']),
});

/** Who a person is on a channel: `slack` and `TEAM:USER`, `email` and the mailbox, `webhook` and `NAME:USER`. */
export const identityBodySchema = z
  .strictObject({ provider: z.enum(['slack', 'email', 'webhook']), externalId: plainText(254) })
  // Mailboxes are compared as they are stored.
  .transform((one) => (one.provider === 'email' ? { ...one, externalId: one.externalId.toLowerCase() } : one))
  .refine(({ provider, externalId }) => IDENTITY_FORMS[provider].test(externalId), {
    path: ['externalId'],
    message: 'must be `TEAM:USER` for slack, a mailbox for email, `NAME:USER` for webhook',
  });
export type IdentityBody = z.infer<typeof identityBodySchema>;

const IDENTITY_FORMS = {
  slack: /^[A-Z0-9]{1,32}:[A-Z0-9]{1,32}$/i,
  email: /^[^\s@<>",;]+@[^\s@<>",;]+$/,
  webhook: /^[a-z0-9][a-z0-9_-]{0,63}:.+$/,
} as const;

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
  door('gateway', 'POST', '/v1/tool-calls/batch', 'agent'),
  door('gateway', 'GET', '/v1/tool-calls/:id', 'agent'),
  door('gateway', 'POST', '/v1/tool-calls/:id/result', 'agent'),
  door('gateway', 'GET', '/v1/tool-calls/:id/output', 'agent'),
  door('gateway', 'POST', '/v1/sessions/:id/cancel', 'agent', 'approver', 'admin'),
  door('gateway', 'POST', '/v1/sessions/:id/stop', 'agent', 'approver', 'admin'),
  door('gateway', 'POST', '/v1/sessions/:id/mode', 'agent', 'approver', 'admin'),
  door('gateway', 'POST', '/v1/sessions/:id/mode/next', 'agent', 'approver', 'admin'),
  door('gateway', 'GET', '/v1/sessions/:id/rules', 'agent', 'approver', 'admin'),
  door('gateway', 'POST', '/v1/sessions/:id/rules', 'agent', 'approver', 'admin'),
  door('gateway', 'POST', '/v1/sessions/:id/limits', 'agent', 'approver', 'admin'),
  door('gateway', 'POST', '/v1/sessions/:id/steps', 'agent'),
  door('gateway', 'POST', '/v1/sessions/:id/usage', 'agent'),
  door('gateway', 'POST', '/v1/sessions/:id/prompts', 'agent'),
  door('gateway', 'POST', '/v1/sessions/:id/compactions', 'agent'),
  door('gateway', 'POST', '/v1/sessions/:id/reset-breaker', 'approver', 'admin'),
  /** Public keys are public. */
  door('gateway', 'GET', '/v1/permits/keys'),
  door('gateway', 'POST', '/v1/permits/redeem', 'agent'),
  door('gateway', 'GET', '/v1/sessions/:id/stream', 'agent'),
  /** The hook door answers 200 whatever the key: it checks the role itself and refuses in the agent's own form. */
  door('gateway', 'POST', '/hooks/:agent'),
  /** Numbers without secrets. The door checks by itself who may read them: the loopback, METRICS_TOKEN, or a key of auditor or admin. */
  door('gateway', 'GET', '/metrics'),
  door('approver', 'GET', '/metrics'),
  /** Signing in brings its own proof: a one-time code or a key in the body. */
  door('approver', 'POST', '/sign-in'),
  door('approver', 'GET', '/sign-in/session', 'approver', 'admin'),
  door('approver', 'POST', '/sign-out', 'approver', 'admin'),
  /** Signed by the workspace, over the raw bytes. */
  door('approver', 'POST', '/channels/slack/interactions'),
  /** Signed as Standard Webhooks sign, with a secret of the webhook that answers. */
  door('approver', 'POST', '/channels/webhook/answers'),
  /** A signed link shows; answering needs the page's own session of whoever it was sent to, which the door checks. */
  door('approver', 'GET', '/channels/email/answer'),
  door('approver', 'POST', '/channels/email/answer'),
  door('approver', 'GET', '/v1/channels', 'approver', 'admin'),
  door('approver', 'GET', '/v1/asks', 'approver', 'admin'),
  door('approver', 'GET', '/v1/asks/:id', 'approver', 'admin'),
  door('approver', 'POST', '/v1/asks/:id/answer', 'approver', 'admin'),
  door('approver', 'GET', '/v1/grants', 'approver', 'auditor', 'admin'),
  door('approver', 'POST', '/v1/grants', 'admin'),
  door('approver', 'DELETE', '/v1/grants/:id', 'approver', 'admin'),
  door('approver', 'GET', '/v1/sessions', 'approver', 'auditor', 'admin'),
  door('approver', 'GET', '/v1/sessions/:id', 'approver', 'auditor', 'admin'),
  door('approver', 'GET', '/v1/sessions/:id/metrics', 'approver', 'auditor', 'admin'),
  door('approver', 'GET', '/v1/kill-switches', 'approver', 'admin'),
  door('approver', 'POST', '/v1/kill-switches', 'approver', 'admin'),
  door('approver', 'GET', '/v1/kill-switches/:id', 'approver', 'admin'),
  door('approver', 'POST', '/v1/kill-switches/:id/release', 'approver', 'admin'),
  door('approver', 'GET', '/v1/agent-audit-log', 'auditor', 'admin'),
  door('approver', 'GET', '/v1/events', 'auditor', 'admin'),
  door('approver', 'GET', '/v1/verify', 'auditor', 'admin'),
  /** The role is not enough: the key needs the right `originals.read`. */
  door('approver', 'GET', '/v1/tool-calls/:id/original', 'approver', 'auditor', 'admin'),
  /** Bull Board, which reads only. */
  door('approver', 'GET', '/admin/queues', 'admin'),
  door('approver', 'GET', '/admin/queues/*', 'admin'),
  door('approver', 'GET', '/v1/people', 'admin'),
  door('approver', 'POST', '/v1/people', 'admin'),
  door('approver', 'POST', '/v1/people/:id/keys', 'admin'),
  door('approver', 'POST', '/v1/people/:id/identities', 'admin'),
  door('approver', 'DELETE', '/v1/people/:id/identities/:provider/:externalId', 'admin'),
  door('approver', 'POST', '/v1/keys', 'admin'),
  door('approver', 'DELETE', '/v1/keys/:id', 'admin'),
  door('approver', 'POST', '/v1/policies/analyse', 'admin'),
  door('approver', 'POST', '/v1/policies/simulate', 'admin'),
  door('approver', 'GET', '/v1/policies/:name', 'admin', 'auditor'),
  door('approver', 'PUT', '/v1/policies/:name', 'admin'),
];
