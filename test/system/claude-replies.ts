/** What Claude Code takes as an answer to each of its events: documented keys only. A wrong answer would run the tool. */
import { z } from 'zod';

const reason = z.string().min(1).max(10_000);
const input = z.record(z.string(), z.unknown());

/** Keys that every answer may have. */
const UNIVERSAL = {
  continue: z.boolean().optional(),
  stopReason: reason.optional(),
  suppressOutput: z.boolean().optional(),
  systemMessage: reason.optional(),
};

const preToolUse = z.strictObject({
  ...UNIVERSAL,
  hookSpecificOutput: z.strictObject({
    hookEventName: z.literal('PreToolUse'),
    permissionDecision: z.enum(['allow', 'deny', 'ask']),
    permissionDecisionReason: reason,
    updatedInput: input.optional(),
    additionalContext: z.string().max(10_000).optional(),
  }),
});

const permissionRequest = z.strictObject({
  ...UNIVERSAL,
  hookSpecificOutput: z.strictObject({
    hookEventName: z.literal('PermissionRequest'),
    decision: z.discriminatedUnion('behavior', [
      z.strictObject({
        behavior: z.literal('allow'),
        updatedInput: input.optional(),
        updatedPermissions: z.array(input).optional(),
      }),
      z.strictObject({ behavior: z.literal('deny'), message: reason, interrupt: z.boolean().optional() }),
    ]),
  }),
});

const postToolUse = z.strictObject({
  ...UNIVERSAL,
  decision: z.literal('block').optional(),
  reason: reason.optional(),
  hookSpecificOutput: z
    .strictObject({
      hookEventName: z.literal('PostToolUse'),
      additionalContext: z.string().optional(),
      updatedToolOutput: z.unknown().optional(),
    })
    .optional(),
});

const permissionDenied = z.strictObject({
  ...UNIVERSAL,
  hookSpecificOutput: z
    .strictObject({ hookEventName: z.literal('PermissionDenied'), retry: z.boolean().optional() })
    .optional(),
});

const elicitation = z.strictObject({
  ...UNIVERSAL,
  hookSpecificOutput: z
    .strictObject({
      hookEventName: z.literal('Elicitation'),
      action: z.enum(['accept', 'decline', 'cancel']),
      content: input.optional(),
    })
    .optional(),
});

/** No opinion is an answer to every event. */
const silence = z.strictObject({});

const REPLIES: Readonly<Record<string, z.ZodType>> = {
  PreToolUse: preToolUse,
  PermissionRequest: permissionRequest,
  PostToolUse: postToolUse,
  PermissionDenied: permissionDenied,
  Elicitation: elicitation,
};

/** What is wrong with an answer to this event; null: nothing. An event without a schema is one that this file must learn. */
export function problemOfReply(event: string, reply: unknown): string | null {
  const schema = REPLIES[event];
  if (schema === undefined) return `no schema for the event \`${event}\``;
  const checked = silence.or(schema).safeParse(reply);
  return checked.success ? null : z.prettifyError(checked.error);
}

/** The effect that an answer to a gating event has; null: no opinion. */
export function effectOf(reply: unknown): string | null {
  const said = (reply as { hookSpecificOutput?: { permissionDecision?: string; decision?: { behavior: string } } })
    .hookSpecificOutput;
  return said?.permissionDecision ?? said?.decision?.behavior ?? null;
}
