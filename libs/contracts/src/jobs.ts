/** What travels through the queue and over the bus. Jobs other than `evaluate` carry ids only. */
import { z } from 'zod';
import { askStatusSchema, channelSchema } from './vocabulary.js';
import { toolCallSchema } from './tool-call.js';
import { callOutcomeSchema } from './outcome.js';

/** Most calls in one `evaluate` job, and most bytes of their JSON text. */
export const MAX_BATCH_CALLS = 256;
export const MAX_BATCH_BYTES = 1024 * 1024;

/** Calls that left a gateway together. `calls` is the sealed JSON text of ToolCall[] in base64: the queue never sees arguments. */
export const evaluateJobSchema = z.object({
  replyTo: z.string(),
  calls: z.string(),
  count: z.number().int(),
  /** Trace contexts of the calls, in their order; absent when nothing is traced. Ids only, so they need no seal. */
  traces: z.array(z.string().max(64).nullable()).max(MAX_BATCH_CALLS).optional(),
});
export type EvaluateJob = z.infer<typeof evaluateJobSchema>;

export const askJobSchema = z.object({
  kind: z.enum(['notify', 'remind', 'expire']),
  tenantId: z.string(),
  askId: z.string(),
});
export type AskJob = z.infer<typeof askJobSchema>;

export const evaluateCallsSchema = z.array(toolCallSchema);

/** One answer on its way back to a waiting gateway. `callId` is the id that the gateway gave. */
export const replySchema = z.object({ callId: z.string(), outcome: callOutcomeSchema });
export type Reply = z.infer<typeof replySchema>;

/** An ask came to its end: every gateway hears it and wakes its waiters; every approver takes the card away. */
export const decidedMessageSchema = z.object({
  tenantId: z.string(),
  sessionId: z.string(),
  askId: z.string(),
  status: askStatusSchema.exclude(['open']),
  channel: channelSchema,
  outcome: callOutcomeSchema,
});
export type DecidedMessage = z.infer<typeof decidedMessageSchema>;

/** What travels of it: ids only. Whoever waits reads the outcome from the ledger. */
export const decidedNoticeSchema = decidedMessageSchema.omit({ outcome: true });
export type DecidedNotice = z.infer<typeof decidedNoticeSchema>;

/** An ask was opened: approvers show it. */
export const openedMessageSchema = z.object({ tenantId: z.string(), askId: z.string() });
export type OpenedMessage = z.infer<typeof openedMessageSchema>;

/** A sign of life of a gateway or a worker. `seals`: check values of its seal keys, the one it seals with first. */
export const aliveMessageSchema = z.object({
  id: z.string().max(100),
  app: z.enum(['gateway', 'worker']),
  seals: z.array(z.string().max(64)).max(16),
  /** Whoever hears this should answer: somebody new wants to know who is there. */
  asks: z.boolean(),
  /** It takes no calls: not yet, not now, or not any more. */
  hidden: z.boolean(),
});
export type AliveMessage = z.infer<typeof aliveMessageSchema>;

/** A kill switch was engaged or released: every process reads the engaged ones anew. */
export const killMessageSchema = z.object({ tenantId: z.string(), killId: z.string() });
export type KillMessage = z.infer<typeof killMessageSchema>;

/** Somebody answered an ask that another answer had ended, and said something else: who answered first is told. */
export const lateAnswerMessageSchema = z.object({ tenantId: z.string(), askId: z.string() });
export type LateAnswerMessage = z.infer<typeof lateAnswerMessageSchema>;

/** A session was cancelled or stopped: executors that run its tools are told. Ids only; why stands in the ledger. */
export const sessionEndedMessageSchema = z.object({
  tenantId: z.string(),
  sessionId: z.string(),
  how: z.enum(['cancelled', 'stopped']),
});
export type SessionEndedMessage = z.infer<typeof sessionEndedMessageSchema>;
