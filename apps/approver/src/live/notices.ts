/** What the live line says: an ask opened, an ask closed. */
import type { AskView, LateAnswer } from '@countersign/contracts';

/** `ask.closed`: how an ask ended; `by` null: nobody in particular. */
export interface ClosedNotice {
  readonly id: string;
  readonly status: string;
  readonly by: string | null;
  readonly via: string | null;
  /** ISO-8601 UTC. */
  readonly at: string | null;
  /** It was approved with other arguments than it asked about. */
  readonly edited: boolean;
}

/** `ask.late`: `first` had answered before; `by` null: nobody whose name is known. */
export interface LateNotice extends LateAnswer {
  readonly id: string;
  readonly first: string;
}

/** Events from the server. `caught.up` ends what was missed; its version is what to send as `since` next time. */
export interface LiveEvents {
  'ask.opened': (message: { readonly ask: AskView }) => void;
  'ask.closed': (notice: ClosedNotice) => void;
  /** An ask that had ended got another answer, which says something else: for whoever answered first. */
  'ask.late': (notice: LateNotice) => void;
  /** A kill switch was engaged or released: read which ones are. */
  'kill.changed': (message: { readonly id: string }) => void;
  'caught.up': (message: { readonly version: string }) => void;
  /** This approver hears nothing of the others for now: read the list instead. */
  'line.paused': () => void;
  /** It hears again: read the list once more, for what was said meanwhile. */
  'line.resumed': () => void;
  /** This approver is about to go: connect again, which another one takes. */
  'line.leaving': () => void;
}

/** The notice of an ask that ended. */
export function closedNotice(ask: AskView): ClosedNotice {
  const { id, status, resolvedBy: by, resolvedVia: via, resolvedAt: at, editedArgs } = ask;
  return { id, status, by, via, at, edited: editedArgs !== null };
}
