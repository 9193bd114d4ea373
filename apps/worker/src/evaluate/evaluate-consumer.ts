/** Takes `evaluate` jobs from the queue, opens their seal and has their calls judged. */
import { quickParser, toolCallSchema, type EvaluateJob } from '@countersign/contracts';
import type { Consumer, ConsumerOptions, Queue, Seal } from '@countersign/queue';
import { z } from 'zod';
import type { RoundItem } from '../rounds/round-item.js';
import { judgeJob, type JudgeJobDeps } from './judge-job.js';
import { createLeaving } from './leaving.js';
import { createTurns } from './turns.js';

export interface EvaluateDeps extends Omit<JudgeJobDeps, 'turns' | 'leaving'> {
  readonly queue: Pick<Queue, 'consume'>;
  readonly seal: Seal;
  /** Fires when this worker is about to go. */
  readonly leaving: AbortSignal;
  /** A call that is not of the expected shape; nobody else's call may suffer from it. */
  readonly onMalformed: (problem: string) => void;
}

const callsSchema = z.array(z.unknown());
const parseCall = quickParser(toolCallSchema);

/** The job is done when its calls are stored, and comes back to another worker when this one dies before. */
export function consumeEvaluate(deps: EvaluateDeps, options: ConsumerOptions): Consumer {
  const judging = { ...deps, turns: createTurns(), leaving: createLeaving(deps.leaving) };
  return deps.queue.consume((job, run) => judgeJob(openJob(job, deps), run, judging), options);
}

/** Throws for a job that was sealed with another key or is not what a gateway sends. */
function openJob(job: EvaluateJob, { seal, onMalformed }: EvaluateDeps): RoundItem[] {
  const calls = callsSchema.parse(JSON.parse(seal.open(job.calls)));
  return calls.flatMap((call, place) => {
    const parsed = parseCall(call);
    const trace = job.traces?.[place];
    if (parsed.success) return [{ call: parsed.data, replyTo: job.replyTo, ...(trace ? { trace } : {}) }];
    const issue = parsed.error.issues[0];
    onMalformed(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unknown problem'}`);
    return [];
  });
}
