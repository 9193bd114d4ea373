/** What an in-process hook looks like: an object with some of these members, exported by a module of the installation. */
import type {
  HookMoment,
  PermissionRequestAnswer,
  PostToolUseAnswer,
  PreToolUseAnswer,
  ResultStatus,
} from '@countersign/contracts';

/** The call that a hook looks at. `args` is the parsed value, as earlier hooks left it; null when it cannot be judged. */
export interface HookCall {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly parentId: string | null;
  readonly agent: string;
  readonly policy: string;
  readonly callId: string;
  readonly toolUseId: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>> | null;
  readonly cwd: string | null;
}

/** A tool's result. `output` null: none was reported. */
export interface HookResultOfTool {
  readonly status: ResultStatus;
  readonly output: string | null;
  readonly error: string | null;
  readonly elapsedMs: number | null;
}

/** Something that happened to a session, already recorded. `detail` is what the event says of it. */
export interface HookNote {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly parentId: string | null;
  readonly callId: string | null;
  /** ISO-8601 UTC, the database's clock. */
  readonly time: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Moments that only observe. */
export type ObservedMoment = Exclude<HookMoment, 'PreToolUse' | 'PermissionRequest' | 'PostToolUse'>;

type Observer = (note: HookNote, signal: AbortSignal) => void | Promise<void>;
type Answering<C, A> = (context: C, signal: AbortSignal) => A | Promise<A>;

/**
 * The ten members of the seed's interface, and those of the other seeds. All but `name` may be left out. `signal` fires when the
 * answer would come too late. A member that throws has failed: its hook's `onFailure` says what follows.
 */
export interface HookPlugin {
  readonly name: string;
  readonly preToolUse?: Answering<HookCall, PreToolUseAnswer>;
  readonly permissionRequest?: Answering<HookCall, PermissionRequestAnswer>;
  readonly postToolUse?: Answering<HookCall & HookResultOfTool, PostToolUseAnswer>;
  readonly onPermissionDecision?: Observer;
  readonly onSessionStart?: Observer;
  readonly onStepComplete?: Observer;
  readonly onSessionStop?: Observer;
  readonly onSubagentStart?: Observer;
  readonly onSubagentStop?: Observer;
  readonly onPreCompact?: Observer;
  readonly onPostCompact?: Observer;
  readonly onUserPromptSubmit?: Observer;
}

/** Moment -> the member that hears of it. */
export const MEMBERS = {
  PreToolUse: 'preToolUse',
  PermissionRequest: 'permissionRequest',
  PostToolUse: 'postToolUse',
  PermissionDecision: 'onPermissionDecision',
  SessionStart: 'onSessionStart',
  StepComplete: 'onStepComplete',
  SessionStop: 'onSessionStop',
  SubagentStart: 'onSubagentStart',
  SubagentStop: 'onSubagentStop',
  PreCompact: 'onPreCompact',
  PostCompact: 'onPostCompact',
  UserPromptSubmit: 'onUserPromptSubmit',
} as const satisfies Record<HookMoment, keyof HookPlugin>;

const KNOWN: ReadonlySet<string> = new Set(['name', ...Object.values(MEMBERS)]);

/** What is wrong with a value that should be a hook; null: nothing. */
export function pluginProblem(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return 'is not an object with hook members';
  const members = Object.entries(value);
  const unknown = members.find(([name]) => !KNOWN.has(name));
  if (unknown !== undefined) return `has the unknown member \`${unknown[0]}\``;
  const wrong = members.find(([name, member]) => name !== 'name' && typeof member !== 'function');
  if (wrong !== undefined) return `has a member \`${wrong[0]}\` that is no function`;
  return members.some(([name]) => name !== 'name') ? null : 'has no member that could run';
}
