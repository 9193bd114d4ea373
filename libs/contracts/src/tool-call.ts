/** A tool call on its way from the agent's door to the engine. */
import { z } from 'zod';
import { modeSchema } from './vocabulary.js';

/** Why arguments cannot be judged. Each ends as a recorded deny `request.invalid_arguments`. */
export const ARGUMENT_PROBLEMS = [
  'not_an_object',
  'lone_surrogate',
  'duplicate_key',
  'unsafe_integer',
  'too_large',
  'too_deep',
] as const;
export const argumentProblemSchema = z.enum(ARGUMENT_PROBLEMS);
export type ArgumentProblem = z.infer<typeof argumentProblemSchema>;

/** Largest arguments that are judged and stored whole: 256 KB of canonical JSON. */
export const MAX_ARGUMENT_BYTES = 256 * 1024;
/** Deepest nesting of arguments that is judged. */
export const MAX_ARGUMENT_DEPTH = 64;
/** How much of unjudgeable arguments is kept, in UTF-16 code units. */
export const ARGUMENT_HEAD_LENGTH = 200;

/**
 * Arguments as they travel and are stored. `json` is RFC 8785 canonical JSON text (control characters stay escapes);
 * `hash` is the SHA-256 of it in hex. Unjudgeable arguments carry the size in bytes, the hash and the head of the raw text as a
 * JSON string literal body, so that an auditor sees what came.
 */
export const callArgumentsSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('ok'), json: z.string(), hash: z.string() }),
  z.object({
    state: z.literal('invalid'),
    problem: argumentProblemSchema,
    bytes: z.number().int().nonnegative(),
    hash: z.string(),
    head: z.string(),
  }),
]);
export type CallArguments = z.infer<typeof callArgumentsSchema>;

/** Evidence about one path from whoever is on the agent's machine; `real` null: it does not exist and `ancestor` names the nearest existing one's real path. */
export const resolvedPathSchema = z.object({
  real: z.string().nullable(),
  exists: z.boolean(),
  /** True when resolving failed (loop, no permission): the path counts as unresolvable. */
  failed: z.boolean().optional(),
});
export const resolvedPathsSchema = z.record(z.string(), resolvedPathSchema);
/** Absolute path as given -> evidence. For a path that does not exist `real` is the real nearest ancestor joined with the missing tail. */
export type ResolvedPaths = z.infer<typeof resolvedPathsSchema>;

const id = z.string().min(1).max(256);

/** How a call's session is to be opened when it is unknown: the key's defaults, tightened by what the client says. */
export const sessionOpeningSchema = z.object({
  agent: id,
  parentId: id.nullable(),
  policy: id,
  mode: modeSchema,
  cwd: z.string().nullable(),
  roots: z.array(z.string()),
  silent: z.boolean(),
  tools: z.array(z.string()).nullable(),
  labels: z.record(z.string(), z.string()),
  home: z.string().nullable(),
});
export type SessionOpening = z.infer<typeof sessionOpeningSchema>;

/** Most sessions in a line, from a root down to the deepest one, both counted: below that nothing is opened and nothing runs. */
export const MAX_SESSION_LINE = 32;

/**
 * One tool call, ready to be judged. Its key is (tenantId, sessionId, agent, toolUseId, attempt); `id` is ours (`call_…`).
 * `ancestors` are the openings of unknown parents, root first, so that a subagent's first call may open the whole line.
 */
export const toolCallSchema = z.object({
  id,
  tenantId: id,
  keyId: id,
  sessionId: id,
  agent: id,
  toolUseId: id,
  attempt: z.number().int().positive(),
  tool: id,
  args: callArgumentsSchema,
  cwd: z.string().nullable(),
  /** The mode that the agent's own hook reported, if any; judged only when the policy lets agents choose it. */
  mode: z.string().nullable(),
  resolvedPaths: resolvedPathsSchema,
  /** The key vouches that the worker sees the agent's file system, so the worker may resolve missing evidence. */
  sameHost: z.boolean(),
  /** What the agent says of the call, for people; never judged. */
  description: z.string().nullable(),
  /** True for a PermissionRequest without tool-use id: joins the newest unfinished call of the same session, agent, tool, arguments and place. */
  joinsByHash: z.boolean(),
  /** The MCP server that the call goes to, by its real name; absent: the client does not say, or it goes to none. */
  mcpServer: id.optional(),
  /** SHA-256 in hex of the call's `placeText`; absent: it came with no place. */
  placeHash: z.string().optional(),
  opening: sessionOpeningSchema,
  ancestors: z.array(z.object({ sessionId: id, opening: sessionOpeningSchema })),
});
export type ToolCall = z.infer<typeof toolCallSchema>;

/** The identity of a call: what a repeated request is joined by. */
export const callKeySchema = toolCallSchema.pick({
  tenantId: true,
  sessionId: true,
  agent: true,
  toolUseId: true,
  attempt: true,
});
export type CallKey = z.infer<typeof callKeySchema>;
