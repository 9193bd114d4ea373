/** The vocabulary of the house: calls, verdicts, events, jobs, doors and errors. */
export * from './vocabulary.js';
export * from './errors.js';
export * from './tool-call.js';
export * from './verdict.js';
export * from './policy-document.js';
export * from './facts.js';
export * from './hooks.js';
export * from './events.js';
export * from './outcome.js';
export * from './jobs.js';
export * from './doors.js';
export * from './canonical-json.js';
export * from './display.js';
export * from './strict-json.js';
export * from './arguments.js';
export * from './metrics.js';
export * from './tracing.js';
