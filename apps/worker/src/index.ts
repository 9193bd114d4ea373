/** The worker: judges calls in rounds, stores every decision before it is told, and ends asks that are due. */
export { WORKER_DEFAULTS, type WorkerConfig } from './config.js';
export { startWorker, type RunningWorker } from './start-worker.js';
export type { WorkerDeps } from './worker-deps.js';
