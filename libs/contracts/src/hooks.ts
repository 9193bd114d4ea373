/** Hooks: when they run, what they may answer, and what is recorded of each run. */
import { z } from 'zod';

/** Moments at which hooks run. The first three may change what happens; all others only observe. */
export const HOOK_MOMENTS = [
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PermissionDecision',
  'SessionStart',
  'StepComplete',
  'SessionStop',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'UserPromptSubmit',
] as const;
export const hookMomentSchema = z.enum(HOOK_MOMENTS);
export type HookMoment = z.infer<typeof hookMomentSchema>;

const reason = z.string().min(1).max(2_000);
const additionalContext = z.string().max(10_000).optional();

/** What a PreToolUse hook answers. `require_permission` asks a person; `mutate` puts other arguments in place of the agent's. */
export const preToolUseAnswerSchema = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('continue'), additionalContext }),
  z.strictObject({ action: z.literal('block'), reason }),
  z.strictObject({
    action: z.literal('mutate'),
    updatedArgs: z.record(z.string(), z.unknown()),
    additionalContext,
    reason: reason.optional(),
  }),
  z.strictObject({ action: z.literal('require_permission'), reason: reason.optional(), additionalContext }),
]);
export type PreToolUseAnswer = z.infer<typeof preToolUseAnswerSchema>;

/** What a PermissionRequest hook answers in place of people, where the policy's preset lets hooks answer. */
export const permissionRequestAnswerSchema = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('continue') }),
  z.strictObject({ action: z.literal('allow'), reason: reason.optional() }),
  z.strictObject({ action: z.literal('deny'), reason: reason.optional() }),
]);
export type PermissionRequestAnswer = z.infer<typeof permissionRequestAnswerSchema>;

/** What a PostToolUse hook answers. `mutate_output` puts another output in place of the tool's. */
export const postToolUseAnswerSchema = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('continue') }),
  z.strictObject({ action: z.literal('mutate_output'), updatedOutput: z.string().max(32 * 1024 * 1024) }),
]);
export type PostToolUseAnswer = z.infer<typeof postToolUseAnswerSchema>;

/** Why a hook gave no answer. `malformed`: it answered, but not in the expected form. */
export const HOOK_FAILURES = [
  'timeout',
  'error',
  'unreachable',
  'refused',
  'malformed',
  'circuit_open',
  'busy',
] as const;
export const hookFailureSchema = z.enum(HOOK_FAILURES);
export type HookFailure = z.infer<typeof hookFailureSchema>;

/** One run of one hook, as it is recorded. `action`: what followed from it, after a failure by the hook's own `onFailure`. */
export const hookRunSchema = z.object({
  hook: z.string(),
  on: hookMomentSchema,
  callId: z.string().nullable(),
  action: z.string(),
  reason: z.string().nullable(),
  failure: hookFailureSchema.nullable(),
  elapsedMs: z.number().nonnegative(),
  /** The hook only observes: its answer changed nothing. */
  observed: z.boolean(),
});
export type HookRun = z.infer<typeof hookRunSchema>;
