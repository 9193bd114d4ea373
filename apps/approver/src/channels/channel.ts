/** What a channel is: a folder of its own behind this one door. A new channel implements it and stands in `open-channels.ts`. */
import type { AskCard } from '@countersign/approval';
import type { AskStatus, AskView, Channel as ChannelName, LateAnswer } from '@countersign/contracts';

/** The channels that are pushed to. The page pulls and has a live line; `cli` pulls. */
export type PushedChannel = Extract<ChannelName, 'slack' | 'webhook' | 'email'>;

/** A card on its way out. `deliveryId` stays the same when it is tried again. */
export interface OutgoingCard {
  readonly deliveryId: string;
  readonly kind: 'card' | 'reminder';
  readonly tenantId: string;
  readonly target: string;
  readonly ask: AskView;
  readonly card: AskCard;
  /** May this card offer to approve? False: something is not shown, or the ask's route says so. */
  readonly approvable: boolean;
}

/** A card that was sent and has to say how its ask ended. */
export interface SentCard {
  /** Of this message, which says how it ended; stays the same when it is tried again. */
  readonly deliveryId: string;
  readonly tenantId: string;
  readonly target: string;
  readonly providerRef: string | null;
  readonly ask: AskView;
  readonly card: AskCard;
  readonly end: CardEnd;
}

/** How an ask ended, and the one sentence that says so. */
export interface CardEnd {
  readonly status: Exclude<AskStatus, 'open'>;
  readonly text: string;
}

/** An answer that came after the end of an ask and says the contrary, for whoever gave the answer that counts. */
export interface LateNotice {
  /** Of this message; stays the same when it is tried again. */
  readonly deliveryId: string;
  readonly tenantId: string;
  readonly target: string;
  /** Of the card that it belongs to; null: the provider gave it no name, or none that we know. */
  readonly cardRef: string | null;
  readonly ask: AskView;
  readonly card: AskCard;
  readonly late: LateAnswer;
  /** The one sentence that says who said what and when, and what stands. */
  readonly text: string;
}

export interface Channel {
  readonly name: PushedChannel;
  /** The tenant that it was set up for. */
  readonly tenantId: string;
  /** The ask as this channel can show it; always the same for the same ask. */
  card(ask: AskView): AskCard;
  /** Where cards go when a route names the channel without a target. */
  readonly targets: readonly string[];
  /** Is this place written to no more? Why and since when (ISO-8601 UTC); null: it is. */
  closedTarget?(target: string): Promise<{ readonly problem: string; readonly closedAt: string } | null>;
  /** Sends the card; resolves to what the provider calls it. Throws SendFailed, or anything else for "try again". */
  send(card: OutgoingCard): Promise<string | null>;
  /** Rewrites the card. Throws as `send` does. */
  close(sent: SentCard): Promise<void>;
  /** Says beside the card that somebody else said the contrary, too late; resolves and throws as `send` does. Absent: it is not said here. */
  late?(notice: LateNotice): Promise<string | null>;
  /** Ends connections and work in flight. */
  stop(): Promise<void>;
}

/** Why a card did not go out. `problem` holds no secret. */
export class SendFailed extends Error {
  override readonly name = 'SendFailed';

  /** `final`: trying again is of no use; `retryAfterMs`: the provider says when. */
  constructor(
    readonly problem: string,
    readonly options: { readonly final?: boolean; readonly retryAfterMs?: number } = {},
  ) {
    super(problem);
  }
}
