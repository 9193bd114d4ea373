/** Every event of the ledger: past tense, versioned, checked at both ends. Bodies are stored as canonical JSON text. */
import { z } from 'zod';
import {
  answerSchema,
  answerScopeSchema,
  approvalStatusSchema,
  channelSchema,
  effectSchema,
  killScopeSchema,
  modeSchema,
  resultStatusSchema,
} from './vocabulary.js';
import { callArgumentsSchema, resolvedPathsSchema, sessionOpeningSchema } from './tool-call.js';
import { askRouteSchema, breakerLimitsSchema, ruleSchema } from './policy-document.js';
import { factsSchema, grantSchema } from './facts.js';
import { hookRunSchema } from './hooks.js';
import { verdictSchema } from './verdict.js';

/**
 * What redaction did to a call before it was stored. The verdict was made on the original; `sameVerdict`: the redacted form is
 * judged alike, so a replay of the log makes it again. The original lies sealed in the vault.
 */
export const redactionRecordSchema = z.object({
  found: z.array(z.object({ kind: z.string(), count: z.number().int() })),
  sameVerdict: z.boolean(),
  /** The verdict on the redacted form. */
  redacted: z.object({ effect: effectSchema, ruleId: z.string() }),
});
export type RedactionRecord = z.infer<typeof redactionRecordSchema>;

/** The call as it was judged; with `redaction` its secrets were replaced, and `args.hash` is still that of the original. */
export const requestRecordSchema = z.object({
  callId: z.string(),
  keyId: z.string(),
  agent: z.string(),
  toolUseId: z.string(),
  attempt: z.number().int(),
  tool: z.string(),
  args: callArgumentsSchema,
  cwd: z.string().nullable(),
  mode: z.string().nullable(),
  resolvedPaths: resolvedPathsSchema,
  description: z.string().nullable(),
  /** SHA-256 in hex of folder, MCP server and path evidence as the call came with them; absent: it came with none. */
  placeHash: z.string().optional(),
  /** Absent: nothing was redacted. */
  redaction: redactionRecordSchema.optional(),
});
export type RequestRecord = z.infer<typeof requestRecordSchema>;

/** What a replay needs besides the request: policy by hash, epoch, the sequence numbers that were read, and the facts. */
export const basisSchema = z.object({
  policyName: z.string(),
  policyHash: z.string(),
  epoch: z.number().int(),
  /** Stream id -> sequence number that the decision was made on, ancestors included. */
  seqs: z.record(z.string(), z.number().int()),
  facts: factsSchema.omit({ resolvedPaths: true }),
});
export type Basis = z.infer<typeof basisSchema>;

/** Who ended an ask. `personId` null: a timer, a cancel, a stop or the agent itself. */
export const answererSchema = z.object({
  channel: channelSchema,
  personId: z.string().nullable(),
  personName: z.string().nullable(),
});
export type Answerer = z.infer<typeof answererSchema>;

/** An answer that did not count, and why. `agrees`, of one that came too late: it says the same as the one that counted. */
const refusedAnswerSchema = z.object({
  askId: z.string(),
  answer: z.string(),
  by: answererSchema,
  code: z.string(),
  agrees: z.boolean().optional(),
});

/** The recorded end of a call. */
export const decisionSchema = z.object({
  effect: z.enum(['allow', 'deny']),
  approvalStatus: approvalStatusSchema,
  ruleId: z.string(),
  reason: z.string(),
  layer: z.string(),
  askId: z.string().nullable(),
  answeredBy: answererSchema.nullable(),
  /** Input that replaces the agent's own, as canonical JSON. */
  updatedInput: z.string().nullable(),
  /** The agent should end its run. */
  stop: z.boolean(),
  /** What hooks and guards tell the model beside the answer. */
  additionalContext: z.string().optional(),
  /** True for a denial that counts towards the session's breaker. */
  counted: z.boolean().optional(),
});
export type Decision = z.infer<typeof decisionSchema>;

const event = <T extends string, B extends z.ZodType>(type: T, body: B) =>
  z.object({ type: z.literal(type), version: z.literal(1), body });

/** What became of a background task, until the agent is told. `text`: the head of what the model may see. */
export const backgroundResultSchema = z.object({ callId: z.string(), tool: z.string(), text: z.string() });
export type BackgroundResult = z.infer<typeof backgroundResultSchema>;

export const DIRECTIVES = ['nudge', 'compact', 'finalize', 'break'] as const;
/**
 * What the agent's loop is told to do: say less, make room, answer without tools, end the run. `level`: how strong a nudge is, from
 * 1 to 3. `text` is for the model.
 */
export const toldSchema = z.object({
  directive: z.enum(DIRECTIVES),
  level: z.number().int().positive().optional(),
  text: z.string(),
});
export type Told = z.infer<typeof toldSchema>;

/** The terms that an ask was opened under; a policy published later does not change them. */
export const askTermsSchema = z.object({
  holdSeconds: z.number().int(),
  passAsk: z.boolean(),
  breaker: breakerLimitsSchema,
  route: askRouteSchema.optional(),
  /** The session's time limit in seconds; absent: none. After it nothing is approved. */
  sessionSeconds: z.number().int().optional(),
});
export type AskTerms = z.infer<typeof askTermsSchema>;

/** Session stream. */
export const sessionEventSchema = z.discriminatedUnion('type', [
  /** `sessionId` absent: the session is its own root. */
  event(
    'SessionStarted',
    z.object({
      sessionId: z.string().optional(),
      keyId: z.string(),
      opening: sessionOpeningSchema,
      rootId: z.string(),
      /** ISO-8601 UTC, the database's clock; the session's time limit counts from here. */
      at: z.string().optional(),
    }),
  ),
  /** A stopped session goes on: the same id was opened or used again. Breaker, totals, rules and grants stay. */
  event('SessionReopened', z.object({ by: z.string() })),
  /** `byPerson`: from now on the agent itself chooses no looser mode. */
  event('SessionModeChanged', z.object({ mode: modeSchema, by: z.string(), byPerson: z.literal(true).optional() })),
  event('SessionRulesChanged', z.object({ added: z.array(ruleSchema), removed: z.array(z.string()), by: z.string() })),
  event('SessionScopeChanged', z.object({ cwd: z.string().nullable(), roots: z.array(z.string()), by: z.string() })),
  /** Silence is set and tools are narrowed; neither is ever taken back. */
  event(
    'SessionLimitsChanged',
    z.object({ silent: z.boolean(), tools: z.array(z.string()).nullable(), by: z.string() }),
  ),
  /** The agent's loop reports its next step; results of background tasks are handed over with it. */
  event(
    'StepReported',
    z.object({
      step: z.number().int().nonnegative(),
      /** Null: the loop does not say. */
      newInformation: z.boolean().nullable(),
      completed: z.boolean(),
      handedOver: z.array(backgroundResultSchema),
      told: toldSchema.nullable(),
      by: z.string(),
    }),
  ),
  /** Totals so far, never increments. */
  event(
    'UsageReported',
    z.object({ tokens: z.number().int().nonnegative(), told: toldSchema.nullable(), by: z.string() }),
  ),
  /** The user wrote: a new turn begins. The text itself is not kept: its size in characters and its SHA-256 in hex. */
  event(
    'PromptSubmitted',
    z.object({
      characters: z.number().int().nonnegative(),
      hash: z.string(),
      handedOver: z.array(backgroundResultSchema),
      by: z.string(),
    }),
  ),
  /** The agent's context was made smaller, or should have been. `ok` null: it is about to begin. */
  event('CompactionReported', z.object({ phase: z.enum(['pre', 'post']), ok: z.boolean().nullable(), by: z.string() })),
  /** Results of background tasks that the next call took along, for an agent that reports no steps. */
  event('ResultsHandedOver', z.object({ callIds: z.array(z.string()), callId: z.string() })),
  /** How the calls of one step are to be run, by our ids: `abortOn` names those whose failure stops their parallel siblings. */
  event(
    'BatchPlanned',
    z.object({
      batches: z.array(z.object({ parallel: z.boolean(), calls: z.array(z.string()), abortOn: z.array(z.string()) })),
      by: z.string(),
    }),
  ),
  /** The failure of a call stopped the calls that ran beside it. */
  event('SiblingsStopped', z.object({ callId: z.string(), calls: z.array(z.string()) })),
  event('SessionCancelled', z.object({ reason: z.string(), by: z.string() })),
  event('SessionStopped', z.object({ reason: z.string(), by: z.string() })),
  event(
    'AskOpened',
    z.object({
      askId: z.string(),
      request: requestRecordSchema,
      verdict: verdictSchema,
      basis: basisSchema,
      timeoutMs: z.number().int().nullable(),
      terms: askTermsSchema.optional(),
      /** What would run instead of the agent's own arguments, because a hook rewrote them: people answer this. */
      finalArgs: callArgumentsSchema.optional(),
      /** What hooks and guards tell the model beside the answer. */
      additionalContext: z.string().optional(),
    }),
  ),
  /** A channel showed the ask. `textHash`: SHA-256 in hex of the text as it was shown, so that it can be compared with what ran. */
  event(
    'AskNotified',
    z.object({
      askId: z.string(),
      channel: channelSchema,
      kind: z.enum(['card', 'reminder']),
      version: z.number().int(),
      target: z.string(),
      textHash: z.string(),
    }),
  ),
  /** A channel could not show the ask; it stays open. `final`: it is not tried again. */
  event(
    'NotifyFailed',
    z.object({
      askId: z.string(),
      channel: channelSchema,
      kind: z.string(),
      target: z.string(),
      problem: z.string(),
      attempt: z.number().int(),
      final: z.boolean(),
    }),
  ),
  /** A held hook was answered "pending": from now on an approval becomes a one-time grant. */
  event('AskParked', z.object({ askId: z.string(), callId: z.string() })),
  /** The same call was sent again under its own key after its hook had been let go: it is held again. */
  event('AskHeld', z.object({ askId: z.string(), callId: z.string() })),
  /** The same call under a new tool-use id waits for this ask again. */
  event('AskJoined', z.object({ askId: z.string(), request: requestRecordSchema })),
  event(
    'AskAnswered',
    z.object({
      askId: z.string(),
      answer: answerSchema,
      scope: answerScopeSchema,
      by: answererSchema,
      reason: z.string().nullable(),
      /** What was put in the place of the arguments, and what the policy said of it. */
      edited: z.object({ argsHash: z.string(), effect: effectSchema, ruleId: z.string() }).optional(),
      /** SHA-256 in hex of what tells this answer, sent again, from another answer. */
      repeatHash: z.string().optional(),
    }),
  ),
  event('AskAnswerRefused', refusedAnswerSchema),
  event(
    'AskResolved',
    z.object({
      askId: z.string(),
      callId: z.string(),
      status: approvalStatusSchema,
      by: answererSchema,
      reason: z.string(),
      /** ISO-8601 UTC, the database's clock as it was read for this decision. */
      at: z.string().optional(),
    }),
  ),
  event(
    'ToolCallDecided',
    z.object({
      request: requestRecordSchema,
      verdict: verdictSchema,
      decision: decisionSchema,
      basis: basisSchema,
      /** The arguments that a hook put in place of the agent's own; the verdict is of both. */
      finalArgs: callArgumentsSchema.optional(),
    }),
  ),
  event(
    'ToolResultReported',
    z.object({
      callId: z.string(),
      tool: z.string(),
      status: resultStatusSchema,
      elapsedMs: z.number().nullable(),
      preview: z.string(),
      outputHash: z.string().nullable(),
      error: z.string().nullable(),
      /** What the seeds call it: a call that was never allowed to run is blocked, whatever is said of it. */
      outcome: z.enum(['BLOCKED', 'SUCCEEDED', 'FAILED']).optional(),
      /** Code points of the whole output. */
      outputChars: z.number().int().nonnegative().optional(),
      /** The whole redacted output is kept sealed, since the model saw only a part of it. */
      kept: z.boolean().optional(),
      /** What was redacted in output and error. */
      redacted: z.array(z.object({ kind: z.string(), count: z.number().int() })).optional(),
      /** The call went on by itself: its result is handed over with the agent's next step. */
      background: z.boolean().optional(),
      /** SHA-256 in hex of all that was reported but the time it took, redacted: tells the same report from a different one. */
      reportHash: z.string().optional(),
    }),
  ),
  event('GrantCreated', z.object({ grant: grantSchema })),
  /** `tenantWide`: one use of a grant that stands in the tenant's stream; the call's own session records it. */
  event('GrantConsumed', z.object({ grantId: z.string(), callId: z.string(), tenantWide: z.boolean().optional() })),
  event('GrantRevoked', z.object({ grantId: z.string(), by: z.string() })),
  /** An executor took the allowed call up: from now on it counts as running until its result is reported. */
  event('PermitRedeemed', z.object({ callId: z.string(), permitId: z.string(), keyId: z.string(), tool: z.string() })),
  /** Too many denials: every later call is denied until a person resets the breaker. */
  event('BreakerOpened', z.object({ reason: z.string(), inARow: z.number().int(), total: z.number().int() })),
  event('BreakerReset', z.object({ by: z.string() })),
  /** A call of a session below this root was denied: it counts in the root's total. */
  event('ChildDenied', z.object({ sessionId: z.string(), callId: z.string() })),
  /** A session below this root put a question: it counts in the root's caps. `at`: ISO-8601 UTC. */
  event('ChildAsked', z.object({ sessionId: z.string(), callId: z.string(), at: z.string() })),
  /** A person denied a call of a session below this root: the root remembers it. `at`: ISO-8601 UTC. */
  event(
    'ChildRefused',
    z.object({
      sessionId: z.string(),
      callId: z.string(),
      tool: z.string(),
      argsHash: z.string(),
      subjects: z.array(z.string()),
      at: z.string(),
      reason: z.string(),
    }),
  ),
  /** A hook ran, or should have. Its effect on a call stands in that call's verdict. */
  event('HookRan', hookRunSchema),
  /** Something the agent reported that changes nothing but belongs in the record. */
  event('AgentReported', z.object({ kind: z.string(), detail: z.string() })),
]);
export type SessionEvent = z.infer<typeof sessionEventSchema>;

/** Tenant stream. */
export const tenantEventSchema = z.discriminatedUnion('type', [
  event('TenantCreated', z.object({ name: z.string() })),
  event('PolicyPublished', z.object({ name: z.string(), version: z.number().int(), hash: z.string(), by: z.string() })),
  event(
    'KeyChanged',
    z.object({
      keyId: z.string(),
      role: z.string(),
      /** What it may do beyond its role; absent: nothing. */
      rights: z.array(z.string()).optional(),
      change: z.enum(['made', 'revoked']),
      by: z.string(),
    }),
  ),
  event(
    'MembershipChanged',
    z.object({
      personId: z.string(),
      name: z.string(),
      groups: z.array(z.string()),
      roles: z.array(z.string()),
      change: z.enum(['added', 'changed', 'removed']),
      /** Who the person is on a channel, when that is what changed. */
      identity: z.object({ provider: z.string(), externalId: z.string(), linked: z.boolean() }).optional(),
      by: z.string(),
    }),
  ),
  event('LogRead', z.object({ by: z.string(), query: z.string() })),
  /** Nothing in its scope is allowed or approved until it is released; `value` null only for the scope `tenant`. */
  event(
    'KillSwitchEngaged',
    z.object({
      killId: z.string(),
      scope: killScopeSchema,
      value: z.string().nullable(),
      reason: z.string(),
      by: z.string(),
    }),
  ),
  event('KillSwitchReleased', z.object({ killId: z.string(), by: z.string() })),
  /** A grant for all sessions of the tenant. */
  event('GrantCreated', z.object({ grant: grantSchema })),
  event('GrantRevoked', z.object({ grantId: z.string(), by: z.string() })),
  /** An answer to an ask that this tenant does not have. */
  event('AskAnswerRefused', refusedAnswerSchema),
]);
export type TenantEvent = z.infer<typeof tenantEventSchema>;

export const ledgerEventSchema = z.union([sessionEventSchema, tenantEventSchema]);
export type LedgerEvent = SessionEvent | TenantEvent;
export type EventType = LedgerEvent['type'];

/** The id of a tenant's own stream; session ids never begin with `@`. */
export const TENANT_STREAM = '@tenant';

/** An event as it stands in the ledger. Positions and sequence numbers are decimal strings at every door. */
export const storedEventSchema = z.object({
  position: z.string(),
  tenantId: z.string(),
  streamId: z.string(),
  seq: z.string(),
  /** ISO-8601 UTC, the database's clock. */
  time: z.string(),
  type: z.string(),
  version: z.number().int(),
  callId: z.string().nullable(),
  askId: z.string().nullable(),
  agent: z.string().nullable(),
  tool: z.string().nullable(),
  decision: z.string().nullable(),
  ruleId: z.string().nullable(),
  personId: z.string().nullable(),
  channel: z.string().nullable(),
  body: z.unknown(),
  prevHash: z.string(),
  hash: z.string(),
});
export type StoredEvent = z.infer<typeof storedEventSchema>;
