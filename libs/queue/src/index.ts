/** Jobs and messages between the apps; BullMQ and Redis stay behind this door. */
export { createQueue, DEFAULT_PREFIX, DEFAULT_SCHEMA } from './queue.js';
export type { Consumer, JobHandler, JobWhereabouts, Queue, QueueOptions, QueueTarget } from './queue.js';
export { createBus } from './bus.js';
export type { Bus, BusOptions, BusTarget, Unsubscribe } from './bus.js';
export { createSeal, newSealKey, SealBroken } from './seal.js';
export type { Seal } from './seal.js';
export { QueueFull, QueueUnavailable, QueueUnfit } from './queue-errors.js';
