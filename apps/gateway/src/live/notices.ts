/** What agents and executors say and hear on the line `/agents`. */
import type { CallOutcome, ErrorBody, KillFact } from '@countersign/contracts';

/** The answer to `tool_call`: the outcome, pending ones included, or why there is none. */
export type CallAck = { readonly outcome: CallOutcome } | ErrorBody;

/** The answer to `watch`: session ids from the root down to the watched one; what ends one of them ends it too. */
export type WatchAck = { readonly line: readonly string[] } | ErrorBody;

/** A call that was taken up and not reported yet: `cancel` means stop it now, `block` let it finish. */
export interface RunningCallNotice {
  readonly id: string;
  readonly sessionId: string;
  readonly tool: string;
  readonly interrupt: 'cancel' | 'block';
}

/** A session was cancelled or stopped: nothing of it, or of a session below it, may begin any more. */
export interface CancelNotice {
  readonly sessionId: string;
  readonly how: 'cancelled' | 'stopped';
  /** Of this session and of all below it: its own first, then the nearest; 1,000 at most. */
  readonly calls: readonly RunningCallNotice[];
}

/** Events from the gateway. `reconnect`: this gateway goes; connect again, and look pending calls up. */
export interface AgentEvents {
  decision: (outcome: CallOutcome) => void;
  cancel: (notice: CancelNotice) => void;
  kill: (kill: KillFact) => void;
  reconnect: () => void;
}

/** Events from the client. The body of `tool_call` is that of `POST /v1/tool-calls`, as a value or as its JSON text. */
export interface ClientEvents {
  tool_call: (body: unknown, answer: (ack: CallAck) => void) => void;
  watch: (body: unknown, answer: (ack: WatchAck) => void) => void;
}
