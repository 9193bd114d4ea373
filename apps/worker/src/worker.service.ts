/** Starts and ends everything that a worker does. */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { NO_METER } from '@countersign/contracts';
import type { ChoresDone } from '@countersign/ledger';
import type { Consumer } from '@countersign/queue';
import { vaultKeysOrNew, watchKills, type KillWatch, type VaultKeys } from '@countersign/server';
import { singleFlight, startSweep, sweepDueAsks } from './asks/due-sweep.js';
import { endAsksOf } from './asks/end-asks.js';
import { handleAskJob } from './asks/handle-ask-job.js';
import { createRestore, type RestoreDeps } from './asks/restore-asks.js';
import { choresLine, createChores } from './chores/chores.js';
import { consumeEvaluate, type EvaluateDeps } from './evaluate/evaluate-consumer.js';
import { isOutage } from './evaluate/is-outage.js';
import { createCallHooks } from './hooks/call-hooks.js';
import { hookedJudge } from './hooks/hooked-judge.js';
import { createLifeCycle } from './hooks/life-cycle.js';
import { createPolicyCache } from './policies/policy-cache.js';
import { announce, type AnnounceDeps } from './replies/announce.js';
import { BoundedMap } from './rounds/bounded-map.js';
import { createDatabaseClock } from './rounds/database-clock.js';
import { createJudge, type Judge } from './rounds/judge.js';
import { streamKey } from './rounds/keys.js';
import { observedLedger, observedRound } from './rounds/observed-round.js';
import { QuietSessions } from './rounds/quiet-sessions.js';
import { runRound, type RoundDeps } from './rounds/round.js';
import type { RoundResult } from './rounds/round-item.js';
import { lineOf } from './rounds/round-view.js';
import type { StoredHead } from './rounds/stream-draft.js';
import type { CachedTenant } from './rounds/tenant-facts.js';
import { resealVault } from './vault/reseal.js';
import { WORKER_DEPS, type WorkerDeps } from './worker-deps.js';

/** Ask jobs at once: each is one small append. */
const ASK_CONCURRENCY = 8;
/** How often a worker looks whether chores are due. */
const CHORES_LOOK_MS = 60_000;

@Injectable()
export class WorkerService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('worker');
  private readonly judge: Judge;
  private consumers: Consumer[] = [];
  private sweeps: { stop(): Promise<void> }[] = [];
  private kills: KillWatch | undefined;
  private readonly leaving = new AbortController();
  private readonly vaultKeys: VaultKeys;
  private readonly endDue = singleFlight(() => sweepDueAsks({ ...this.deps, random: Math.random }));

  constructor(@Inject(WORKER_DEPS) private readonly deps: WorkerDeps) {
    // Every job that waits for a database that is away listens.
    setMaxListeners(0, this.leaving.signal);
    this.vaultKeys = vaultKeysOrNew(deps.vaultKeys);
    const round = this.roundDeps();
    const judge = createJudge({
      run: observedRound((items) => runRound(items, round), deps),
      tell: (result) => this.tell(result),
      roundCalls: deps.config.roundCalls,
      sessionsOf: ({ call }) => [...lineOf(call, round.cache)].map((id) => streamKey(call.tenantId, id)),
    });
    const { hooks, ledger } = deps;
    this.judge = hooks === undefined ? judge : hookedJudge(judge, createCallHooks({ hooks, ledger }));
  }

  async onApplicationBootstrap(): Promise<void> {
    const { queue, config, ledger, bus } = this.deps;
    const { concurrency, settleMs } = config;
    this.kills = await watchKills({
      app: 'worker',
      ledger,
      bus,
      onError: (error) => this.report('kill switches could not be read', error),
    });
    this.consumers = [
      consumeEvaluate(this.evaluateDeps(), { concurrency, settleMs }),
      queue.asks.consume((job) => handleAskJob(job, { ...this.deps, sweepDue: this.endDue }), {
        concurrency: ASK_CONCURRENCY,
        settleMs,
      }),
    ];
    await Promise.all(this.consumers.map((consumer) => consumer.ready()));
    if (this.deps.vaultKeys !== undefined) this.reseal();
    this.sweeps = [
      startSweep(
        () => this.sweepDue(),
        config.sweepMs,
        (error) => this.report('the sweep for due asks failed', error),
      ),
      startSweep(createRestore(this.restoreDeps(), Date.now), config.sweepMs, (error) =>
        this.report('open asks could not be announced again', error),
      ),
      ...this.followLifeCycle(),
      ...this.keepHouse(),
    ];
  }

  /** In the background: nobody waits for it, and the next start goes on where it ended. */
  private reseal(): void {
    const { ledger } = this.deps;
    const onUnreadable = (count: number): void =>
      this.log.warn(`${count} originals are sealed with keys that are not in COUNTERSIGN_VAULT_KEYS`);
    resealVault({ vault: ledger.vault, keys: this.vaultKeys, onUnreadable }, this.leaving.signal).then(
      (count) =>
        count > 0 && this.log.warn(`sealed ${count} originals anew, with the vault key ${this.vaultKeys.keyId}`),
      (error: unknown) => this.report('originals could not be sealed anew', error),
    );
  }

  /** Running jobs end first or go back; what they decided is told before the worker goes. */
  async onApplicationShutdown(): Promise<void> {
    this.leaving.abort();
    await Promise.all([
      ...this.consumers.map((consumer) => consumer.close()),
      ...this.sweeps.map((sweep) => sweep.stop()),
    ]);
    await this.judge.idle();
    await this.kills?.close();
  }

  /** Only where some hook observes. */
  private followLifeCycle(): { stop(): Promise<void> }[] {
    const { hooks, ledger, config } = this.deps;
    if (hooks === undefined) return [];
    const self = randomUUID();
    return hooks.observers.map((observer) => {
      const lifeCycle = createLifeCycle(observer, { hooks, ledger, self });
      const tell = async (): Promise<void> => {
        while (await lifeCycle.tell()) if (this.leaving.signal.aborted) return;
      };
      const onError = (error: unknown): void => this.report(`the hook \`${observer}\` could not be told`, error);
      const sweep = startSweep(tell, config.hookMs, onError);
      const stop = async (): Promise<void> => {
        await sweep.stop();
        await lifeCycle.leave().catch(onError);
      };
      return { stop };
    });
  }

  /** Only where the owner's URL was given: the services' own role may take nothing away. */
  private keepHouse(): { stop(): Promise<void> }[] {
    const { chores: run } = this.deps;
    if (run === undefined) {
      this.log.log('partitions and retention are somebody else’s: DATABASE_OWNER_URL is not set for this worker');
      return [];
    }
    const onDone = (done: ChoresDone): void => this.log.log(choresLine(done));
    const chores = createChores({ run, now: () => performance.now(), onDone });
    return [startSweep(chores, CHORES_LOOK_MS, (error) => this.report('the chores failed', error))];
  }

  private async sweepDue(): Promise<void> {
    const { meter = NO_METER } = this.deps;
    meter.count('countersign_sweeps_total');
    meter.count('countersign_sweep_ended_total', {}, await this.endDue());
  }

  private evaluateDeps(): EvaluateDeps {
    return {
      ...this.deps,
      judge: this.judge,
      isOutage,
      onGuilty: (ids, reason) => this.log.error(`denied unjudged, since ${reason}: ${ids.join(', ')}`),
      leaving: this.leaving.signal,
      onMalformed: (problem) => this.report('a call is not of the expected shape', problem),
    };
  }

  private announceDeps(): AnnounceDeps {
    return {
      onError: (error) => this.report('asks have no timers; the sweep will end them', error),
      ...this.deps,
    };
  }

  private restoreDeps(): RestoreDeps {
    const onRestored = (asks: number, lost: boolean): void => {
      if (lost) this.log.warn(`announced ${asks} open asks again: the queue may have lost them`);
      else this.log.log(`announced ${asks} open asks again, as at every start`);
    };
    return { ...this.announceDeps(), ...this.deps, onRestored };
  }

  private roundDeps(): RoundDeps {
    const { ledger, config } = this.deps;
    return {
      ledger: observedLedger(ledger, this.deps),
      cache: new BoundedMap<string, StoredHead>(config.cachedHeads),
      tenants: new BoundedMap<string, CachedTenant>(config.cachedPolicies),
      quiet: new QuietSessions(config.cachedHeads),
      clock: createDatabaseClock(() => performance.now()),
      policies: createPolicyCache(ledger.policies, config.cachedPolicies),
      surroundings: { protectedPaths: config.protectedPaths, platform: config.platform },
      vaultKeys: this.vaultKeys,
      onCallFault: (call, error) => this.report(`call ${call.id} could not be judged`, error),
      onUnitFault: (family, error) =>
        this.report(`the calls ${family.items.map(({ call }) => call.id).join(', ')} could not be stored`, error),
    };
  }

  private async tell(result: RoundResult): Promise<void> {
    try {
      await announce(result, this.announceDeps(), Date.now());
      for (const session of result.stopped) await endAsksOf(this.deps, session);
    } catch (error) {
      this.report('a committed round could not be told', error);
    }
  }

  /** Outages are told once by whoever watches the services, not by everybody who meets them. */
  private report(what: string, error: unknown): void {
    if (isOutage(error)) return;
    this.log.error(`${what}: ${error instanceof Error ? error.message : String(error)}`, stackOf(error));
  }
}

function stackOf(error: unknown): string | undefined {
  return error instanceof Error ? error.stack : undefined;
}
