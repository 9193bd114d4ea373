/** The reply bus: how workers wake gateways and approvers. Messages are hints; whoever misses one finds the truth in the ledger. */
import type { DecidedMessage, OpenedMessage, Reply } from '@countersign/contracts';
import { memoryBus } from './memory-bus.js';
import { DEFAULT_PREFIX } from './queue.js';
import { redisBus } from './redis-bus.js';

export type Unsubscribe = () => Promise<void>;

/** Sending never throws: a message that could not be sent is told to `onError`. Malformed messages are dropped and told. */
export interface Bus {
  /** Answers for the calls that one gateway sent. */
  reply(gatewayId: string, replies: readonly Reply[]): Promise<void>;
  onReplies(gatewayId: string, listener: (replies: Reply[]) => void): Promise<Unsubscribe>;
  /** An ask ended. */
  decided(message: DecidedMessage): Promise<void>;
  onDecided(listener: (message: DecidedMessage) => void): Promise<Unsubscribe>;
  /** An ask was opened. */
  opened(message: OpenedMessage): Promise<void>;
  onOpened(listener: (message: OpenedMessage) => void): Promise<Unsubscribe>;
  /** Resolves when the bus carries messages, else throws QueueUnavailable. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface BusOptions {
  readonly onError?: (error: Error) => void;
}

export type BusTarget =
  { readonly kind: 'redis'; readonly url: string; readonly prefix?: string } | { readonly kind: 'memory' };

/** `memory` serves one process. `redis` throws QueueUnfit when Redis cannot be reached. */
export async function createBus(target: BusTarget & BusOptions): Promise<Bus> {
  const onError = target.onError ?? (() => undefined);
  if (target.kind === 'memory') return memoryBus(onError);
  return redisBus({ url: target.url, prefix: target.prefix ?? DEFAULT_PREFIX, onError });
}
