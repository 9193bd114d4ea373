/** What the processes may use under the load that the soak makes; docs/operations.md states the same numbers. */
import type { Sample } from './soak.js';

/** MB of resident memory of each process, and of Redis's `used_memory`. */
export const CEILINGS = { gateway: 400, worker: 500, approver: 400, redis: 64 } as const;

/** Every reading above its ceiling, as one line. */
export function above(samples: readonly Sample[]): string[] {
  return samples.flatMap((sample) =>
    Object.entries(CEILINGS).flatMap(([name, most]) => {
      const used = sample[name as keyof typeof CEILINGS];
      return used > most ? [`${name} used ${used} MB after ${sample.second} s, more than ${most}`] : [];
    }),
  );
}

/** Highest reading of each, in MB. */
export function peaks(samples: readonly Sample[]): Readonly<Record<keyof typeof CEILINGS, number>> {
  const most = (name: keyof typeof CEILINGS): number => Math.max(...samples.map((sample) => sample[name]));
  return { gateway: most('gateway'), worker: most('worker'), approver: most('approver'), redis: most('redis') };
}

/** Growth from the mean of the second quarter to that of the last one, as a share. */
export function growth(samples: readonly Sample[], name: keyof typeof CEILINGS): number {
  const quarter = Math.floor(samples.length / 4);
  const mean = (some: readonly Sample[]): number => some.reduce((sum, one) => sum + one[name], 0) / some.length;
  return mean(samples.slice(-quarter)) / mean(samples.slice(quarter, 2 * quarter)) - 1;
}
