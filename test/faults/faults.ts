/** The faults of a house under load, each as one thing that is done to it and undone again. */
import { setTimeout as pause } from 'node:timers/promises';
import type { FaultHouse } from './house.js';
import type { Service, ServiceName } from './service.js';

export interface Fault {
  readonly name: string;
  /** Resolves when the house is whole again. `chance` gives numbers from 0 to 1. `scale` lengthens what a fault lasts. */
  readonly run: (house: FaultHouse, chance: () => number, scale: number) => Promise<void>;
}

/** So long nothing is stored, so that calls are in hand when the fault comes. */
const GATHER_MS = 300;
/** Somebody has a killed process started again after a while, as an orchestrator does. */
const DOWN_MS = 500;
/** How long a frozen worker stands still under the full scale. */
const FREEZE_MS = 20_000;

const pick = (house: FaultHouse, name: ServiceName, chance: () => number): Service =>
  house.service(name, Math.floor(chance() * house.services[name].length));

export const FAULTS = {
  worker: {
    name: 'a worker killed with a batch in hand',
    run: async (house, chance) => {
      const worker = pick(house, 'worker', chance);
      await house.holdingWrites(async () => {
        await pause(GATHER_MS);
        await worker.end('SIGKILL');
      });
      await pause(DOWN_MS);
      await worker.start();
    },
  },
  redis: {
    name: 'Redis restarted empty between enqueue and reply',
    run: async (house) => {
      await house.holdingWrites(async () => {
        await pause(GATHER_MS);
        await house.redis.stop();
        await house.redis.start();
      });
    },
  },
  postgres: {
    name: 'Postgres restarted',
    run: async ({ cluster }, chance) => {
      // Half of the time as an operator does it, else as a crash.
      if (chance() < 0.5) await cluster.stop();
      else cluster.abort();
      await pause(DOWN_MS);
      await cluster.restart();
    },
  },
  gateway: {
    name: 'a gateway killed while calls wait',
    run: async (house, chance) => {
      const gateway = pick(house, 'gateway', chance);
      await house.holdingWrites(async () => {
        await pause(GATHER_MS);
        await gateway.end('SIGKILL');
      });
      await pause(DOWN_MS);
      await gateway.start();
    },
  },
  frozen: {
    name: 'C01 a worker stopped for longer than its lock, and continued',
    run: async (house, chance, scale) => {
      const worker = pick(house, 'worker', chance);
      await house.holdingWrites(async () => {
        await pause(GATHER_MS);
        worker.freeze();
      });
      await pause(FREEZE_MS * scale);
      worker.thaw();
    },
  },
} as const satisfies Readonly<Record<string, Fault>>;
