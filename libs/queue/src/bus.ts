/** The reply bus: how workers wake gateways and approvers. Messages are hints; whoever misses one finds the truth in the ledger. */
import type {
  AliveMessage,
  DecidedMessage,
  DecidedNotice,
  KillMessage,
  LateAnswerMessage,
  OpenedMessage,
  SessionEndedMessage,
} from '@countersign/contracts';
import { memoryBus } from './memory-bus.js';
import { DEFAULT_PREFIX } from './queue.js';
import { redisBus } from './redis-bus.js';

export type Unsubscribe = () => Promise<void>;

/** Sending never throws: a message that could not be sent is told to `onError`. Malformed messages are dropped and told. */
export interface Bus {
  /** Answers for the calls that one gateway sent, in the form that `sealReplies` gives them. */
  reply(gatewayId: string, sealed: string): Promise<void>;
  onReplies(gatewayId: string, listener: (sealed: string) => void): Promise<Unsubscribe>;
  /** An ask ended. Only ids travel: whoever waits for the outcome reads it from the ledger. Ends that are told in one turn travel together. */
  decided(message: DecidedMessage): Promise<void>;
  onDecided(listener: (notice: DecidedNotice) => void): Promise<Unsubscribe>;
  /** An ask was opened. */
  opened(message: OpenedMessage): Promise<void>;
  onOpened(listener: (message: OpenedMessage) => void): Promise<Unsubscribe>;
  /** A kill switch was engaged or released. */
  kill(message: KillMessage): Promise<void>;
  onKill(listener: (message: KillMessage) => void): Promise<Unsubscribe>;
  /** An ask that had ended got another answer, which says something else. */
  late(message: LateAnswerMessage): Promise<void>;
  onLate(listener: (message: LateAnswerMessage) => void): Promise<Unsubscribe>;
  /** A session was cancelled or stopped. */
  ended(message: SessionEndedMessage): Promise<void>;
  onEnded(listener: (message: SessionEndedMessage) => void): Promise<Unsubscribe>;
  /** A process lives, or goes. Holds nothing of any agent: it travels unsealed, so that keys that differ are found out. */
  alive(message: AliveMessage): Promise<void>;
  onAlive(listener: (message: AliveMessage) => void): Promise<Unsubscribe>;
  /** Resolves when the bus carries messages, else throws QueueUnavailable. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface BusOptions {
  readonly onError?: (error: Error) => void;
  /** Hears of every failure of Redis itself, many in an outage; `onError` does when absent. */
  readonly onAway?: (error: Error) => void;
}

export type BusTarget =
  { readonly kind: 'redis'; readonly url: string; readonly prefix?: string } | { readonly kind: 'memory' };

/** `memory` serves one process. `redis` throws QueueUnfit when Redis cannot be reached. */
export async function createBus(target: BusTarget & BusOptions): Promise<Bus> {
  const onError = target.onError ?? (() => undefined);
  if (target.kind === 'memory') return memoryBus(onError);
  const onAway = target.onAway ?? onError;
  return redisBus({ url: target.url, prefix: target.prefix ?? DEFAULT_PREFIX, onError, onAway });
}
