/** What a waiting agent is told of its call. */
import { z } from 'zod';
import { approvalStatusSchema } from './vocabulary.js';

export const callOutcomeSchema = z.object({
  /** Our id of the call; for a joined call the first one's. */
  id: z.string(),
  decision: z.enum(['allow', 'deny', 'pending']),
  ruleId: z.string(),
  reason: z.string(),
  layer: z.string(),
  /** Null while pending. */
  approvalStatus: approvalStatusSchema.nullable(),
  askId: z.string().optional(),
  /** How long the waiting hook may be held, in seconds; only while pending. */
  holdSeconds: z.number().int().optional(),
  /** The question goes to the agent's own prompt; only while pending. */
  passAsk: z.boolean().optional(),
  updatedInput: z.unknown().optional(),
  additionalContext: z.string().optional(),
  /** Signed proof of an allow, for whoever runs the tool; only when it was asked for. */
  permit: z.string().optional(),
  /** The agent should end its run. */
  stop: z.boolean().optional(),
});
export type CallOutcome = z.infer<typeof callOutcomeSchema>;
