/** Queue and bus with a look at what passes: sizes, times, ends of asks. What they do is the same. */
import type { Meter } from '@countersign/contracts';
import { JobReturned, QueueFull, type Bus, type JobHandler, type Queue } from '@countersign/queue';

/** Times each enqueue and each wait in the queue; counts batches, refusals and failed jobs. */
export function observedQueue(queue: Queue, meter: Meter): Queue {
  const seen = <Job>(name: string, handler: JobHandler<Job>): JobHandler<Job> => {
    return async (job, run) => {
      if (run.starts === 1) meter.observe('countersign_queue_wait_seconds', run.ageMs / 1_000, { queue: name });
      try {
        await handler(job, run);
      } catch (error) {
        if (!(error instanceof JobReturned)) meter.count('countersign_jobs_failed_total', { queue: name });
        throw error;
      }
    };
  };
  return {
    ...queue,
    enqueue: async (job) => {
      const began = performance.now();
      try {
        return await queue.enqueue(job);
      } catch (error) {
        if (error instanceof QueueFull) meter.count('countersign_refused_total', { limit: 'queue' });
        throw error;
      } finally {
        meter.observe('countersign_enqueue_seconds', (performance.now() - began) / 1_000);
        meter.observe('countersign_batch_calls', job.count);
      }
    },
    consume: (handler, options) => queue.consume(seen('evaluate', handler), options),
    asks: { ...queue.asks, consume: (handler, options) => queue.asks.consume(seen('asks', handler), options) },
  };
}

/** Whoever ends an ask says so on the bus: there it is counted, once. */
export function observedBus(bus: Bus, meter: Meter): Bus {
  return {
    ...bus,
    decided: (message) => {
      meter.count('countersign_asks_ended_total', { status: message.status, channel: message.channel });
      return bus.decided(message);
    },
  };
}
