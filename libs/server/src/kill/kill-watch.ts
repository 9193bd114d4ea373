/** What every process knows of engaged kill switches: told by the bus, read from the ledger again and again, and confirmed. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { killHolding, type KillTarget } from '@countersign/approval';
import type { KillFact } from '@countersign/contracts';

/** The parts of ledger and bus that watching needs. */
export interface KillWatchDeps {
  readonly app: 'gateway' | 'worker' | 'approver';
  readonly ledger: {
    readonly kills: { engaged(): Promise<readonly (KillFact & { readonly tenantId: string })[]> };
    readonly processes: {
      seen(process: { id: string; app: string }): Promise<void>;
      gone(processId: string): Promise<void>;
      confirm(process: { id: string; app: string }, killIds: readonly string[]): Promise<void>;
    };
  };
  readonly bus: { onKill(listener: () => void): Promise<() => Promise<void>> };
  readonly onError: (error: unknown) => void;
}

export interface KillWatch {
  /** The kill switch that holds a call, as far as this process knows: at most half a second behind the ledger. */
  holding(tenantId: string, target: KillTarget): KillFact | null;
  /** All that are engaged in a tenant. */
  engaged(tenantId: string): readonly KillFact[];
  /** Hears of each kill switch that this process has just learnt to refuse by. */
  onEngaged(listener: (kill: KillFact & { readonly tenantId: string }) => void): void;
  close(): Promise<void>;
}

/** INVARIANT: a push that is lost costs less than a second. */
const POLL_MS = 400;
const HEARTBEAT_MS = 5_000;

/** Resolves when this process refuses by everything that is engaged now. */
export async function watchKills(deps: KillWatchDeps): Promise<KillWatch> {
  const self = { id: `${hostname()}:${process.pid}:${randomBytes(4).toString('hex')}`, app: deps.app };
  const listeners: ((kill: KillFact & { tenantId: string }) => void)[] = [];
  let byTenant = new Map<string, KillFact[]>();
  let known = new Set<string>();
  let heartbeatAt = 0;
  const read = async (): Promise<void> => {
    const engaged = await deps.ledger.kills.engaged();
    byTenant = groupByTenant(engaged);
    const fresh = engaged.filter(({ killId }) => !known.has(killId));
    known = new Set(engaged.map(({ killId }) => killId));
    for (const kill of fresh) for (const listener of listeners) listener(kill);
    // INVARIANT: confirmed only after it is refused by.
    await deps.ledger.processes.confirm(
      self,
      fresh.map(({ killId }) => killId),
    );
    if (performance.now() < heartbeatAt) return;
    heartbeatAt = performance.now() + HEARTBEAT_MS;
    await deps.ledger.processes.seen(self);
  };
  const loop = repeat(read, deps.onError);
  const unsubscribe = await deps.bus.onKill(() => loop.now());
  await loop.now();
  return {
    holding: (tenantId, target) => killHolding({ kills: byTenant.get(tenantId) ?? [], grants: [] }, target),
    engaged: (tenantId) => byTenant.get(tenantId) ?? [],
    onEngaged: (listener) => void listeners.push(listener),
    close: async () => {
      await unsubscribe();
      await loop.stop();
      await deps.ledger.processes.gone(self.id).catch(() => undefined);
    },
  };
}

function groupByTenant(engaged: readonly (KillFact & { readonly tenantId: string })[]): Map<string, KillFact[]> {
  const groups = new Map<string, KillFact[]>();
  for (const { tenantId, ...kill } of engaged) groups.set(tenantId, [...(groups.get(tenantId) ?? []), kill]);
  return groups;
}

/** Runs `work` every POLL_MS, and at once when asked to; never twice at the same time. Failures are told and tried again. */
function repeat(work: () => Promise<void>, onError: (error: unknown) => void) {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let queued: Promise<void> | null = null;
  const run = async (): Promise<void> => {
    clearTimeout(timer);
    queued = null;
    await work().catch(onError);
    if (stopped) return;
    clearTimeout(timer);
    timer = setTimeout(() => void now(), POLL_MS * (0.9 + Math.random() / 5));
    timer.unref();
  };
  /** A run that is still waiting for its turn will see what the caller saw; one that runs already may not. */
  const now = (): Promise<void> => {
    if (stopped) return Promise.resolve();
    if (queued !== null) return queued;
    queued = running.then(run);
    running = queued;
    return queued;
  };
  return {
    now,
    stop: async (): Promise<void> => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
