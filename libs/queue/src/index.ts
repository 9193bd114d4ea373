/** Jobs and messages between the apps; BullMQ and Redis stay behind this door. */
export { createQueue, DEFAULT_PREFIX, DEFAULT_SCHEMA } from './queue.js';
export type {
  Consumer,
  ConsumerOptions,
  JobHandler,
  JobRun,
  JobWhereabouts,
  NewAskJob,
  Queue,
  QueueOptions,
  QueueTarget,
} from './queue.js';
export type { Board, BoardAnswer } from './board.js';
export { createBus } from './bus.js';
export type { Bus, BusOptions, BusTarget, Unsubscribe } from './bus.js';
export { createSeal, newSealKey, sealChecks, SealBroken } from './seal.js';
export { inspectRedis, type RedisFacts } from './inspect-redis.js';
export type { Seal } from './seal.js';
export { JobReturned, QueueFull, QueueUnavailable, QueueUnfit } from './queue-errors.js';
export { openReplies, sealReplies } from './replies.js';
