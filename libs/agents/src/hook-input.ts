/** What an agent's hook says, in our words, whichever agent sent it. */
import type { CallOutcome, ResolvedPaths, ResultStatus } from '@countersign/contracts';

/** Agents whose hooks are understood. */
export const AGENT_NAMES = ['claude-code'] as const;
export type AgentName = (typeof AGENT_NAMES)[number];

/** A run of an agent. A subagent's `sessionId` is `<session>/<agent id>` and `parentSessionId` the session's own. */
export interface HookedSession {
  readonly sessionId: string;
  readonly parentSessionId: string | null;
  readonly agent: AgentName;
  readonly cwd: string | null;
  /** The mode that the agent says it is in, as it names it; null: it did not say. */
  readonly mode: string | null;
}

/**
 * A use of a tool. `args` is the parsed value as sent, of any shape. `joinsByHash`: the event carries no tool-use id by
 * contract and means the newest unfinished call with the same arguments. `resolvedPaths` and `home` come from our own
 * command on the agent's machine, where it relays the hook.
 */
export interface HookedCall extends HookedSession {
  readonly toolUseId: string | null;
  readonly tool: string;
  readonly args: unknown;
  /** What the agent says of the call, for people; never judged. */
  readonly description: string | null;
  readonly joinsByHash: boolean;
  readonly resolvedPaths: ResolvedPaths;
  readonly home: string | null;
}

/** What became of a call. `output` is text; of other values their JSON. */
export interface HookedResult {
  readonly toolUseId: string;
  readonly tool: string;
  readonly status: ResultStatus;
  readonly output: string | null;
  readonly error: string | null;
  readonly elapsedMs: number | null;
}

/**
 * One hook. Only a `gate` waits for a decision. `unreadable`: nothing can be judged; its reply is a refusal, in the form of
 * `event` when that much was readable. A `note` is recorded and changes nothing, unless `denied` says that the agent refused a
 * call by itself.
 */
export type HookInput =
  | { readonly kind: 'gate'; readonly event: string; readonly toolCall: HookedCall }
  | {
      readonly kind: 'result';
      readonly event: string;
      readonly session: HookedSession;
      readonly results: readonly HookedResult[];
    }
  | { readonly kind: 'session-start'; readonly event: string; readonly session: HookedSession; readonly detail: string }
  | { readonly kind: 'session-end'; readonly event: string; readonly session: HookedSession; readonly reason: string }
  | {
      readonly kind: 'subagent-start';
      readonly event: string;
      readonly session: HookedSession;
      readonly detail: string;
    }
  | { readonly kind: 'subagent-stop'; readonly event: string; readonly session: HookedSession; readonly reason: string }
  | {
      readonly kind: 'note';
      readonly event: string;
      readonly session: HookedSession | null;
      readonly detail: string;
      readonly denied: { readonly toolUseId: string; readonly tool: string; readonly reason: string } | null;
    }
  | { readonly kind: 'unreadable'; readonly event: string | null; readonly reason: string };

/**
 * What a hook is answered. `pending-released`: people were asked, nobody answered while the hook was held, and the ask stays open.
 * `tool` of a decision names the tool, so that an agent's own dialog with its user is not answered by a mere permission.
 */
export type HookReply =
  | { readonly kind: 'decision'; readonly outcome: CallOutcome; readonly tool?: string }
  | { readonly kind: 'pending-released'; readonly askId: string; readonly reason?: string }
  | { readonly kind: 'refusal'; readonly reason: string }
  | { readonly kind: 'nothing' };

/** A reply as the agent's own JSON. */
export type RenderedReply = Record<string, unknown>;
