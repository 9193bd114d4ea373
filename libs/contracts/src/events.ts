/** Every event of the ledger: past tense, versioned, checked at both ends. Bodies are stored as canonical JSON text. */
import { z } from 'zod';
import {
  answerSchema,
  answerScopeSchema,
  approvalStatusSchema,
  channelSchema,
  modeSchema,
  resultStatusSchema,
} from './vocabulary.js';
import { callArgumentsSchema, resolvedPathsSchema, sessionOpeningSchema } from './tool-call.js';
import { breakerLimitsSchema, ruleSchema } from './policy-document.js';
import { factsSchema, grantSchema } from './facts.js';
import { verdictSchema } from './verdict.js';

/** The call as it was judged. */
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
  /** True for a denial that counts towards the session's breaker. */
  counted: z.boolean().optional(),
});
export type Decision = z.infer<typeof decisionSchema>;

const event = <T extends string, B extends z.ZodType>(type: T, body: B) =>
  z.object({ type: z.literal(type), version: z.literal(1), body });

/** The terms that an ask was opened under; a policy published later does not change them. */
export const askTermsSchema = z.object({
  holdSeconds: z.number().int(),
  passAsk: z.boolean(),
  breaker: breakerLimitsSchema,
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
    }),
  ),
  /** A stopped session goes on: the same id was opened or used again. Breaker, totals, rules and grants stay. */
  event('SessionReopened', z.object({ by: z.string() })),
  event('SessionModeChanged', z.object({ mode: modeSchema, by: z.string() })),
  event('SessionRulesChanged', z.object({ added: z.array(ruleSchema), removed: z.array(z.string()), by: z.string() })),
  event('SessionScopeChanged', z.object({ cwd: z.string().nullable(), roots: z.array(z.string()), by: z.string() })),
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
    }),
  ),
  event('AskAnswerRefused', z.object({ askId: z.string(), answer: z.string(), by: answererSchema, code: z.string() })),
  event(
    'AskResolved',
    z.object({
      askId: z.string(),
      callId: z.string(),
      status: approvalStatusSchema,
      by: answererSchema,
      reason: z.string(),
    }),
  ),
  event(
    'ToolCallDecided',
    z.object({ request: requestRecordSchema, verdict: verdictSchema, decision: decisionSchema, basis: basisSchema }),
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
    }),
  ),
  event('GrantCreated', z.object({ grant: grantSchema })),
  event('GrantConsumed', z.object({ grantId: z.string(), callId: z.string() })),
  event('GrantRevoked', z.object({ grantId: z.string(), by: z.string() })),
  /** Too many denials: every later call is denied until a person resets the breaker. */
  event('BreakerOpened', z.object({ reason: z.string(), inARow: z.number().int(), total: z.number().int() })),
  event('BreakerReset', z.object({ by: z.string() })),
  /** A call of a session below this root was denied: it counts in the root's total. */
  event('ChildDenied', z.object({ sessionId: z.string(), callId: z.string() })),
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
    z.object({ keyId: z.string(), role: z.string(), change: z.enum(['made', 'revoked']), by: z.string() }),
  ),
  event(
    'MembershipChanged',
    z.object({
      personId: z.string(),
      name: z.string(),
      groups: z.array(z.string()),
      roles: z.array(z.string()),
      change: z.enum(['added', 'changed', 'removed']),
      by: z.string(),
    }),
  ),
  event('LogRead', z.object({ by: z.string(), query: z.string() })),
]);
export type TenantEvent = z.infer<typeof tenantEventSchema>;

export const ledgerEventSchema = z.union([sessionEventSchema, tenantEventSchema]);
export type LedgerEvent = SessionEvent | TenantEvent;
export type EventType = LedgerEvent['type'];

/** The id of a tenant's own stream; session ids never begin with `@`. */
export const TENANT_STREAM = '@tenant';

/** The searchable columns of an event; all of them are covered by its hash. */
export interface EventColumns {
  readonly callId: string | null;
  readonly askId: string | null;
  readonly agent: string | null;
  readonly tool: string | null;
  readonly decision: string | null;
  readonly ruleId: string | null;
  readonly personId: string | null;
  readonly channel: string | null;
}

const NO_COLUMNS: EventColumns = {
  callId: null,
  askId: null,
  agent: null,
  tool: null,
  decision: null,
  ruleId: null,
  personId: null,
  channel: null,
};

/** Projects an event onto the columns it is searched by. */
export function eventColumns(item: LedgerEvent): EventColumns {
  switch (item.type) {
    case 'ToolCallDecided': {
      const { request, decision } = item.body;
      return {
        callId: request.callId,
        askId: decision.askId,
        agent: request.agent,
        tool: request.tool,
        decision: decision.effect,
        ruleId: decision.ruleId,
        personId: decision.answeredBy?.personId ?? null,
        channel: decision.answeredBy?.channel ?? null,
      };
    }
    case 'AskOpened':
      return {
        ...NO_COLUMNS,
        callId: item.body.request.callId,
        askId: item.body.askId,
        agent: item.body.request.agent,
        tool: item.body.request.tool,
        decision: 'ask',
        ruleId: item.body.verdict.ruleId,
      };
    case 'AskJoined':
      return {
        ...NO_COLUMNS,
        callId: item.body.request.callId,
        askId: item.body.askId,
        agent: item.body.request.agent,
        tool: item.body.request.tool,
      };
    case 'AskParked':
    case 'AskHeld':
      return { ...NO_COLUMNS, callId: item.body.callId, askId: item.body.askId };
    case 'AskAnswered':
    case 'AskAnswerRefused':
      return { ...NO_COLUMNS, askId: item.body.askId, personId: item.body.by.personId, channel: item.body.by.channel };
    case 'AskResolved':
      return {
        ...NO_COLUMNS,
        callId: item.body.callId,
        askId: item.body.askId,
        personId: item.body.by.personId,
        channel: item.body.by.channel,
      };
    case 'ToolResultReported':
      return { ...NO_COLUMNS, callId: item.body.callId, tool: item.body.tool };
    case 'GrantConsumed':
      return { ...NO_COLUMNS, callId: item.body.callId };
    case 'GrantCreated':
      return {
        ...NO_COLUMNS,
        askId: item.body.grant.askId,
        tool: item.body.grant.tool,
        personId: item.body.grant.personId,
      };
    case 'MembershipChanged':
      return { ...NO_COLUMNS, personId: item.body.personId };
    case 'SessionStarted':
      return { ...NO_COLUMNS, agent: item.body.opening.agent };
    default:
      return NO_COLUMNS;
  }
}

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
