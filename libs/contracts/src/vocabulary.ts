/** The words of the house, as closed sets. Everything else is typed in terms of these. */
import { z } from 'zod';

export const EFFECTS = ['allow', 'ask', 'deny'] as const;
export const effectSchema = z.enum(EFFECTS);
/** What the engine says of a call. */
export type Effect = z.infer<typeof effectSchema>;

export const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions', 'auto', 'custom'] as const;
export const modeSchema = z.enum(MODES);
/** How a session treats what no rule settles. */
export type Mode = z.infer<typeof modeSchema>;

export const PRESETS = ['standard', 'astro-research', 'coding-agent', 'governed-runner', 'claude-code'] as const;
export const presetSchema = z.enum(PRESETS);
/** A named policy that reproduces a whole permission system. */
export type Preset = z.infer<typeof presetSchema>;

export const RULE_SOURCES = [
  'managed',
  'cli',
  'command',
  'session',
  'local',
  'project',
  'user',
  'grant',
  'tool',
] as const;
export const ruleSourceSchema = z.enum(RULE_SOURCES);
/** Where a rule comes from. The order of RULE_SOURCES names the winner among equals; presets may order otherwise. */
export type RuleSource = z.infer<typeof ruleSourceSchema>;

export const LAYERS = ['request', 'guard', 'hook', 'hard-deny', 'path', 'ask', 'mode', 'allow', 'default'] as const;
export const layerSchema = z.enum(LAYERS);
/** The step of the pipeline that spoke, in the order of `standard`. */
export type Layer = z.infer<typeof layerSchema>;

export const TOOL_KINDS = ['read', 'write', 'command', 'network', 'interaction', 'agent', 'other'] as const;
export const toolKindSchema = z.enum(TOOL_KINDS);
export type ToolKind = z.infer<typeof toolKindSchema>;

export const RISKS = ['low', 'medium', 'high'] as const;
export const riskSchema = z.enum(RISKS);
export type Risk = z.infer<typeof riskSchema>;

export const ROLES = ['agent', 'approver', 'auditor', 'admin'] as const;
export const roleSchema = z.enum(ROLES);
export type Role = z.infer<typeof roleSchema>;

export const RIGHTS = ['originals.read'] as const;
export const rightSchema = z.enum(RIGHTS);
/** What a key may do beyond its role. `originals.read`: see calls as they were before redaction, each time on record. */
export type Right = z.infer<typeof rightSchema>;

export const CHANNELS = ['web', 'slack', 'webhook', 'email', 'cli', 'agent', 'classifier', 'system'] as const;
export const channelSchema = z.enum(CHANNELS);
/** A way to reach people or programs. `agent` is the agent's own prompt; `system` is a timer, a cancel or a stop. */
export type Channel = z.infer<typeof channelSchema>;

export const APPROVAL_STATUSES = ['not_required', 'approved', 'rejected', 'cancelled', 'expired'] as const;
export const approvalStatusSchema = z.enum(APPROVAL_STATUSES);
/** How the question to people ended; `not_required` when nobody was asked. */
export type ApprovalStatus = z.infer<typeof approvalStatusSchema>;

export const ASK_STATUSES = ['open', 'approved', 'rejected', 'cancelled', 'expired'] as const;
export const askStatusSchema = z.enum(ASK_STATUSES);
export type AskStatus = z.infer<typeof askStatusSchema>;

export const ANSWERS = ['approve', 'reject', 'cancel'] as const;
export const answerSchema = z.enum(ANSWERS);
export type Answer = z.infer<typeof answerSchema>;

export const ANSWER_SCOPES = ['once', 'session', 'always'] as const;
export const answerScopeSchema = z.enum(ANSWER_SCOPES);
export type AnswerScope = z.infer<typeof answerScopeSchema>;

export const KILL_SCOPES = ['tenant', 'agent', 'session', 'tool'] as const;
export const killScopeSchema = z.enum(KILL_SCOPES);
/** What a kill switch freezes: all, an agent by name, a session with all below it, or a tool by name. */
export type KillScope = z.infer<typeof killScopeSchema>;

export const RESULT_STATUSES = ['succeeded', 'failed', 'cancelled'] as const;
export const resultStatusSchema = z.enum(RESULT_STATUSES);
/** What the agent reports of a call that it ran. */
export type ResultStatus = z.infer<typeof resultStatusSchema>;
