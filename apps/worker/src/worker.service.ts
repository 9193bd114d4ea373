/** Starts and ends everything that a worker does. */
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Consumer } from '@countersign/queue';
import { sweepDueAsks, startSweep } from './asks/due-sweep.js';
import { endAsksOf } from './asks/end-asks.js';
import { handleAskJob } from './asks/handle-ask-job.js';
import { consumeEvaluate } from './evaluate/evaluate-consumer.js';
import { createPolicyCache } from './policies/policy-cache.js';
import { announce } from './replies/announce.js';
import { BoundedMap } from './rounds/bounded-map.js';
import { createJudge, type Judge } from './rounds/judge.js';
import { runRound, type RoundDeps } from './rounds/round.js';
import type { RoundResult } from './rounds/round-item.js';
import type { StoredHead } from './rounds/stream-draft.js';
import { WORKER_DEPS, type WorkerDeps } from './worker-deps.js';

/** Ask jobs at once: each is one small append. */
const ASK_CONCURRENCY = 8;

@Injectable()
export class WorkerService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('worker');
  private readonly judge: Judge;
  private consumers: Consumer[] = [];
  private sweep: { stop(): Promise<void> } | undefined;

  constructor(@Inject(WORKER_DEPS) private readonly deps: WorkerDeps) {
    const round = this.roundDeps();
    this.judge = createJudge({
      run: (items) => runRound(items, round),
      tell: (result) => this.tell(result),
      roundCalls: deps.config.roundCalls,
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    const { queue, seal, config } = this.deps;
    this.consumers = [
      consumeEvaluate({
        queue,
        seal,
        judge: this.judge,
        concurrency: config.concurrency,
        onMalformed: (problem) => this.report('a call is not of the expected shape', problem),
      }),
      queue.asks.consume((job) => handleAskJob(job, this.deps), { concurrency: ASK_CONCURRENCY }),
    ];
    await Promise.all(this.consumers.map((consumer) => consumer.ready()));
    this.sweep = startSweep(
      () => sweepDueAsks(this.deps),
      config.sweepMs,
      (error) => this.report('the sweep for due asks failed', error),
    );
  }

  /** Running jobs end first; what they decided is told before the worker goes. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.consumers.map((consumer) => consumer.close()), this.sweep?.stop()]);
    await this.judge.idle();
  }

  private roundDeps(): RoundDeps {
    const { ledger, config } = this.deps;
    return {
      ledger,
      cache: new BoundedMap<string, StoredHead>(config.cachedHeads),
      policies: createPolicyCache(ledger.policies, config.cachedPolicies),
      surroundings: { protectedPaths: config.protectedPaths, platform: config.platform },
      onCallFault: (call, error) => this.report(`call ${call.id} could not be judged`, error),
      onUnitFault: (family, error) =>
        this.report(`the calls ${family.items.map(({ call }) => call.id).join(', ')} could not be stored`, error),
    };
  }

  private async tell(result: RoundResult): Promise<void> {
    try {
      await announce(
        result,
        { ...this.deps, onError: (error) => this.report('an ask has no timer; the sweep will end it', error) },
        Date.now(),
      );
      for (const session of result.stopped) await endAsksOf(this.deps, session);
    } catch (error) {
      this.report('a committed round could not be told', error);
    }
  }

  private report(what: string, error: unknown): void {
    this.log.error(`${what}: ${error instanceof Error ? error.message : String(error)}`, stackOf(error));
  }
}

function stackOf(error: unknown): string | undefined {
  return error instanceof Error ? error.stack : undefined;
}
