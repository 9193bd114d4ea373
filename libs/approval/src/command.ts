/** Everything that may happen to a session besides its tool calls, as data. */
import type {
  Answer,
  AnswerScope,
  Answerer,
  ErrorCode,
  Mode,
  ResultStatus,
  Rule,
  SessionEvent,
  SessionOpening,
} from '@countersign/contracts';
import type { OpenedAsks } from './events.js';
import { waitingAsk, type SessionState } from './state.js';

/** A person's or a program's answer. `grantId` names the grant that the answer may make. */
export interface AnswerAsk {
  readonly type: 'AnswerAsk';
  readonly askId: string;
  readonly answer: Answer;
  readonly scope: AnswerScope;
  readonly by: Answerer;
  readonly reason: string | null;
  readonly grantId: string;
  /** For `always`: what the grant covers; absent: this exact call. */
  readonly pattern?: string;
  /** ISO-8601 UTC; when a `session` or `always` grant ends. */
  readonly expiresAt?: string;
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
}

/** `by` names the key or the person that sent the command. */
export type SessionCommand =
  | {
      readonly type: 'OpenSession';
      readonly sessionId: string;
      readonly opening: SessionOpening;
      readonly keyId: string;
      readonly rootId: string;
    }
  | AnswerAsk
  | { readonly type: 'ExpireAsk'; readonly askId: string }
  /** The hook of `callId` was let go; absent: every waiting call of the ask. */
  | { readonly type: 'ParkAsk'; readonly askId: string; readonly callId?: string }
  /** Ends open asks without touching the session; `askIds` absent: all. */
  | { readonly type: 'EndAsks'; readonly reason: string; readonly by: string; readonly askIds?: readonly string[] }
  | ReportResult
  | { readonly type: 'CancelSession'; readonly reason: string; readonly by: string }
  | { readonly type: 'StopSession'; readonly reason: string; readonly by: string }
  | { readonly type: 'SetMode'; readonly mode: Mode; readonly by: string }
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
 * `ancestors` (root first): while one of them is cancelled, stopped or has an open breaker nothing is approved.
 */
export interface CommandContext {
  readonly now: string;
  readonly asks: OpenedAsks;
  readonly ancestors?: readonly SessionState[];
}

/** Events to append (none: it was so already), or why not; `record`: events to append although it was refused. */
export type CommandResult =
  | { readonly ok: true; readonly events: SessionEvent[] }
  | { readonly ok: false; readonly code: ErrorCode; readonly message?: string; readonly record?: SessionEvent[] };

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
