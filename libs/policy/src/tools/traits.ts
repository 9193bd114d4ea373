/** How a call behaves while it runs: may it run beside others, may it be interrupted, whom does its failure stop. */
import type { ToolKind } from '@countersign/contracts';
import { toolEntry, type InterruptBehaviour, type ToolManifest, type ToolObligations } from './manifest.js';
import { holds } from './predicate.js';

/** A call's behaviour. `domain` null: the manifest names none. */
export interface ToolTraits {
  readonly kind: ToolKind;
  readonly domain: string | null;
  readonly concurrencySafe: boolean;
  readonly interrupt: InterruptBehaviour;
  readonly causesSiblingAbort: boolean;
  readonly requiresUserInteraction: boolean;
  readonly obligations: ToolObligations;
}

/** The traits of a call of this tool with these arguments. Total; a tool that no manifest lists has the defaults. */
export function traitsOf(tool: string, args: unknown, manifest: ToolManifest): ToolTraits {
  const entry = toolEntry(manifest, tool);
  const { concurrency } = entry;
  return {
    kind: entry.kind,
    domain: entry.domain ?? null,
    concurrencySafe: concurrency === true || (concurrency !== undefined && holds(concurrency.when, args)),
    interrupt: entry.interrupt ?? 'cancel',
    causesSiblingAbort: entry.causesSiblingAbort === true,
    requiresUserInteraction: entry.requiresUserInteraction === true,
    obligations: entry.obligations ?? {},
  };
}
