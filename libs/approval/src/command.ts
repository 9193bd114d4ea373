/** Everything that may happen to a session besides its tool calls, as data. */
import type {
  Answer,
  AnswerScope,
  Answerer,
  CallArguments,
  Effect,
  ErrorCode,
  Grant,
  Mode,
  ResultStatus,
  Rule,
  SessionEvent,
  SessionOpening,
} from '@countersign/contracts';
import type { OpenedAsks } from './events.js';
import type { LoopLimits } from './told.js';
import { waitingAsk, type SessionState } from './state.js';
import type { TenantState } from './tenant-state.js';

/** Edited arguments, in the form that may be stored, with the verdict on what will run. */
export interface EditedInput {
  readonly args: CallArguments;
  readonly effect: Effect;
  readonly ruleId: string;
  readonly reason: string;
}

/** A person's or a program's answer. `grantId` names the grant that the answer may make. */
export interface AnswerAsk {
  readonly type: 'AnswerAsk';
  readonly askId: string;
  readonly answer: Answer;
  readonly scope: AnswerScope;
  readonly by: Answerer;
  readonly reason: string | null;
  /** Arguments that run in place of the agent's, and what the engine says of them. */
  readonly edited?: EditedInput;
  /** Why the policy and the session deny the call by now; absent: they do not, and an approval may let it run. */
  readonly deniedNow?: string;
  /** Groups of the person at this moment. */
  readonly groups?: readonly string[];
  /** The webhook that answers for itself. */
  readonly program?: string;
  /** SHA-256 in hex of what tells this answer, sent again, from another answer. */
  readonly repeatHash?: string;
  readonly grantId: string;
  /** For `always`: what the grant covers; absent: this exact call. */
  readonly pattern?: string;
  /** ISO-8601 UTC; when a `session` or `always` grant ends. */
  readonly expiresAt?: string;
  /** For an `always` grant: how many calls it lets through; absent: any number. */
  readonly uses?: number;
  /** True: the `always` grant holds in every session of the tenant. */
  readonly tenantWide?: boolean;
  /** Of a tenant-wide grant: only in sessions that have this root; absent: in all. */
  readonly root?: string;
}

/** What the agent says became of a call. `preview` is the head of the output, `outputHash` its SHA-256 in hex. */
export interface ReportResult {
  readonly type: 'ReportResult';
  readonly callId: string;
  readonly tool: string;
  readonly status: ResultStatus;
  readonly elapsedMs: number | null;
  readonly preview: string;
  readonly outputHash: string | null;
  readonly error: string | null;
  /** The call was denied: whatever the agent says, it was not to run. */
  readonly denied?: boolean;
  readonly outputChars?: number;
  readonly kept?: boolean;
  readonly redacted?: { kind: string; count: number }[];
  /** The result of a background task: it is handed over with the agent's next step. */
  readonly background?: boolean;
  /** SHA-256 in hex of the whole report: what tells it from a different one. */
  readonly reportHash?: string;
}

/** What the agent's loop reports; `limits` are those of the session's policy. `by` names the key. */
export type ProgressCommand =
  | {
      readonly type: 'ReportStep';
      readonly step: number;
      /** Null: the loop does not say. */
      readonly newInformation: boolean | null;
      readonly completed: boolean;
      readonly limits: LoopLimits;
      readonly by: string;
    }
  /** Totals so far. */
  | { readonly type: 'ReportUsage'; readonly tokens: number; readonly limits: LoopLimits; readonly by: string }
  /** `characters` and SHA-256 in hex of what the user wrote. */
  | { readonly type: 'ReportPrompt'; readonly characters: number; readonly hash: string; readonly by: string }
  | {
      readonly type: 'ReportCompaction';
      readonly phase: 'pre' | 'post';
      readonly ok: boolean | null;
      readonly by: string;
    };

/** An executor is about to run an allowed call and shows its permit. `keyId` is the key that it came with. */
export interface RedeemPermit {
  readonly type: 'RedeemPermit';
  readonly callId: string;
  readonly permitId: string;
  readonly keyId: string;
  /** `ends` of the session's line as the call was allowed. */
  readonly endsWhenAllowed: number;
  /** How long the session may take by its policy; absent: as long as it wants. */
  readonly sessionSeconds?: number | undefined;
}

/** `by` names the key or the person that sent the command. */
export type SessionCommand =
  | {
      readonly type: 'OpenSession';
      readonly sessionId: string;
      readonly opening: SessionOpening;
      readonly keyId: string;
      readonly rootId: string;
      /** Grants of the parent that are handed over, under ids of their own. */
      readonly grants?: readonly Grant[];
    }
  | AnswerAsk
  | { readonly type: 'ExpireAsk'; readonly askId: string }
  /** The hook of `callId` was let go; absent: every waiting call of the ask. */
  | { readonly type: 'ParkAsk'; readonly askId: string; readonly callId?: string }
  /** Ends open asks without touching the session; `askIds` absent: all. */
  | { readonly type: 'EndAsks'; readonly reason: string; readonly by: string; readonly askIds?: readonly string[] }
  | ReportResult
  | RedeemPermit
  | { readonly type: 'CancelSession'; readonly reason: string; readonly by: string }
  | { readonly type: 'StopSession'; readonly reason: string; readonly by: string }
  /** `byPerson`: the agent itself chooses no looser mode from then on; absent: the agent's own change. */
  | { readonly type: 'SetMode'; readonly mode: Mode; readonly by: string; readonly byPerson?: true }
  /** To the mode behind the session's own in `order`. */
  | { readonly type: 'NextMode'; readonly order: readonly Mode[]; readonly by: string; readonly byPerson?: true }
  /** `silent` true sets silence; `tools` null leaves them as they are. */
  | {
      readonly type: 'NarrowSession';
      readonly silent: boolean;
      readonly tools: readonly string[] | null;
      readonly by: string;
    }
  | ProgressCommand
  /** The execution plan of one step's calls, by our ids. */
  | {
      readonly type: 'PlanBatch';
      readonly batches: readonly { parallel: boolean; calls: string[]; abortOn: string[] }[];
      readonly by: string;
    }
  | {
      readonly type: 'ChangeRules';
      readonly added: readonly Rule[];
      readonly removed: readonly string[];
      readonly by: string;
    }
  | { readonly type: 'RevokeGrant'; readonly grantId: string; readonly by: string }
  | { readonly type: 'ResetBreaker'; readonly by: string }
  /** Something that changes nothing and belongs in the record; `detail` is cut to 4,000 characters. */
  | { readonly type: 'ReportEvent'; readonly kind: string; readonly detail: string };

/**
 * `now`: ISO-8601 UTC in the database's clock. `asks`: the stored bodies of the asks that `asksEndedBy` names.
 * `ancestors` (root first): while one of them is cancelled, stopped or has an open breaker nothing is approved. `frozen`: ids of
 * asks that lie in the scope of an engaged kill switch. `tenant` and `call` are needed by `RedeemPermit` alone.
 */
export interface CommandContext {
  readonly now: string;
  readonly asks: OpenedAsks;
  readonly ancestors?: readonly SessionState[];
  readonly frozen?: readonly string[];
  readonly tenant?: TenantState;
  readonly call?: StoredCall;
}

/** What is stored of a call: how it was decided (`pending`: people are asked), and whether it was taken up or reported. */
export interface StoredCall {
  readonly callId: string;
  readonly agent: string;
  readonly tool: string;
  readonly effect: 'allow' | 'deny' | 'pending';
  readonly redeemed: boolean;
  readonly reported: boolean;
}

/**
 * Events to append (none: it was so already), or why not; `record`: events to append although it was refused. `running`: calls
 * that were taken up before the session was cancelled or stopped, and whose results are not known: they run already. `siblings`:
 * calls that the reported failure stops. `reason`: why, in one word for programs, where one code has several.
 */
export type CommandResult =
  | {
      readonly ok: true;
      readonly events: SessionEvent[];
      readonly running?: readonly string[];
      readonly siblings?: readonly string[];
    }
  | {
      readonly ok: false;
      readonly code: ErrorCode;
      readonly message?: string;
      readonly reason?: string;
      readonly record?: SessionEvent[];
    };

/** A refusal as a value. */
export function refused(code: ErrorCode, message?: string): CommandResult {
  return message === undefined ? { ok: false, code } : { ok: false, code, message };
}

/** An acceptance with the events that record it. */
export function accepted(events: SessionEvent[]): CommandResult {
  return { ok: true, events };
}

/** Ids of the open asks that this command may end: load their stored bodies into `context.asks`. */
export function asksEndedBy(state: SessionState | null, command: SessionCommand): string[] {
  if (state === null) return [];
  const all = state.openAsks.map((ask) => ask.askId);
  switch (command.type) {
    case 'CancelSession':
    case 'StopSession':
    case 'EndAsks':
      return all;
    // A counted rejection or expiry may open the breaker, and the breaker ends all the others.
    case 'AnswerAsk':
      return command.answer === 'reject' ? all : all.filter((id) => id === command.askId);
    case 'ExpireAsk':
      return all;
    case 'ReportResult': {
      const ask = waitingAsk(state, command.callId);
      return ask === undefined ? [] : [ask.askId];
    }
    default:
      return [];
  }
}
