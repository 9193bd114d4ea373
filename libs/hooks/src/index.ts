/** Hooks: what an installation runs around each call, as typed plug-ins or as signed HTTP requests. */
export { metricsHook, type MetricsSource, type SessionMetrics } from './builtin/metrics.js';
export type { SaidAfter, SaidBefore } from './chains.js';
export { createHooks, type Hooks, type Told } from './hooks.js';
export { wasTold } from './was-told.js';
export { loadHooks, type HookSurroundings, type LoadedHooks } from './load.js';
export type { HookPlace } from './matching.js';
export type { HookCall, HookNote, HookPlugin, HookResultOfTool, ObservedMoment } from './plugin.js';
export { HOOK_DEFAULTS, type HookTerms, type HttpTarget, type RegisteredHook } from './spec.js';
