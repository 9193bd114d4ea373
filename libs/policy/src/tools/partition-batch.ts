/** Splits a step's calls into what may run together and what must run alone, in order. */
import type { ToolManifest } from './manifest.js';
import { traitsOf } from './traits.js';

/** What is needed of a call. */
export interface BatchCall {
  readonly tool: string;
  readonly args: unknown;
}

/** Calls that run together (`parallel`), or one call that runs alone. */
export interface CallBatch<Call extends BatchCall> {
  readonly parallel: boolean;
  readonly calls: readonly Call[];
}

/**
 * The execution plan of calls that may run (refused and asking ones are the caller's to leave out). Neighbours that are safe
 * run together; every other call is a batch of its own. INVARIANT: the batches one after the other are the calls in order.
 */
export function partitionBatch<Call extends BatchCall>(
  calls: readonly Call[],
  manifest: ToolManifest,
): CallBatch<Call>[] {
  const batches: { parallel: boolean; calls: Call[] }[] = [];
  for (const call of calls) {
    const parallel = traitsOf(call.tool, call.args, manifest).concurrencySafe;
    const last = batches[batches.length - 1];
    if (parallel && last?.parallel === true) last.calls.push(call);
    else batches.push({ parallel, calls: [call] });
  }
  return batches;
}

/** The calls of the batch that are to be stopped because this one of them failed: all others, or none. */
export function siblingsToStop<Call extends BatchCall>(
  batch: CallBatch<Call>,
  failed: Call,
  manifest: ToolManifest,
): Call[] {
  if (!traitsOf(failed.tool, failed.args, manifest).causesSiblingAbort) return [];
  return batch.calls.filter((call) => call !== failed);
}
