/** What goes into a round and what comes out of it. */
import type { CallOutcome, ToolCall } from '@countersign/contracts';

/** One call and the gateway that waits for its answer. */
export interface RoundItem {
  readonly call: ToolCall;
  readonly replyTo: string;
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
