/** What travels through the queue and over the bus. Jobs other than `evaluate` carry ids only. */
import { z } from 'zod';
import { askStatusSchema, channelSchema } from './vocabulary.js';
import { toolCallSchema } from './tool-call.js';
import { callOutcomeSchema } from './outcome.js';

/** Most calls in one `evaluate` job, and most bytes of their JSON text. */
export const MAX_BATCH_CALLS = 256;
export const MAX_BATCH_BYTES = 1024 * 1024;

/** Calls that left a gateway together. `calls` is the sealed JSON text of ToolCall[] in base64: the queue never sees arguments. */
export const evaluateJobSchema = z.object({ replyTo: z.string(), calls: z.string(), count: z.number().int() });
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

/** An ask was opened: approvers show it. */
export const openedMessageSchema = z.object({ tenantId: z.string(), askId: z.string() });
export type OpenedMessage = z.infer<typeof openedMessageSchema>;
