/** Takes `evaluate` jobs from the queue, opens their seal and hands the calls to the judge. */
import { toolCallSchema, type EvaluateJob } from '@countersign/contracts';
import type { Consumer, Queue, Seal } from '@countersign/queue';
import { z } from 'zod';
import type { Judge } from '../rounds/judge.js';
import type { RoundItem } from '../rounds/round-item.js';

export interface EvaluateDeps {
  readonly queue: Pick<Queue, 'consume'>;
  readonly seal: Seal;
  readonly judge: Judge;
  readonly concurrency: number;
  /** A call that is not of the expected shape; nobody else's call may suffer from it. */
  readonly onMalformed: (problem: string) => void;
}

const callsSchema = z.array(z.unknown());

/** The job is done when its calls are stored, and comes back to another worker when this one dies before. */
export function consumeEvaluate(deps: EvaluateDeps): Consumer {
  const { queue, judge, concurrency } = deps;
  return queue.consume((job) => judge.judge(openJob(job, deps)), { concurrency });
}

/** Throws for a job that was sealed with another key or is not what a gateway sends. */
function openJob(job: EvaluateJob, { seal, onMalformed }: EvaluateDeps): RoundItem[] {
  const calls = callsSchema.parse(JSON.parse(seal.open(job.calls)));
  return calls.flatMap((call) => {
    const parsed = toolCallSchema.safeParse(call);
    if (parsed.success) return [{ call: parsed.data, replyTo: job.replyTo }];
    const issue = parsed.error.issues[0];
    onMalformed(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unknown problem'}`);
    return [];
  });
}
