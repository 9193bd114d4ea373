/** What goes into a round and what comes out of it. */
import type { CallArguments, CallOutcome, HookResult, HookRun, ToolCall, TraceParent } from '@countersign/contracts';

/** What the hooks said of a call before its round. */
export interface HookedCall {
  readonly runs: readonly HookRun[];
  /** In the order of registration, without rewritten arguments: those are in `finalArgs`. */
  readonly results: readonly HookResult[];
  /** The arguments that hooks put in place of the agent's own; null: they left them. */
  readonly finalArgs: CallArguments | null;
  readonly additionalContext: string | null;
  /** By session of the line: how often it had been cancelled or stopped when the hooks were asked. */
  readonly endsWhenSent: ReadonlyMap<string, number>;
}

/** One call and the gateway that waits for its answer. `hooked` absent: no hook is registered for it. */
export interface RoundItem {
  readonly call: ToolCall;
  readonly replyTo: string;
  /** Judging this call ended its workers or failed again and again: it is recorded as denied with `internal.error`, unjudged. */
  readonly guilty?: true;
  readonly hooked?: HookedCall;
  /** Context of the trace that the call is part of; absent or null: it is not traced. */
  readonly trace?: TraceParent | null;
}

/** A call that is decided AND stored. Nothing else may be answered. */
export interface Settled {
  readonly item: RoundItem;
  readonly outcome: CallOutcome;
}

/** An ask that a committed round opened. `deadline` in the database's clock; null: it waits without limit. */
export interface OpenedAskNotice {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly askId: string;
  readonly deadline: string | null;
}

/** A session whose breaker is open: the asks of it and of every session below are to be ended. */
export interface StoppedSession {
  readonly tenantId: string;
  readonly sessionId: string;
}

/** Everything that a committed round has to tell. */
export interface RoundResult {
  readonly settled: Settled[];
  readonly opened: OpenedAskNotice[];
  readonly stopped: StoppedSession[];
}
