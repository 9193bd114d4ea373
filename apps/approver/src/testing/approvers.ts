/** One or more running approvers over one house and one bus. */
import { randomBytes } from 'node:crypto';
import { createBus, type Bus, type BusTarget } from '@countersign/queue';
import type { ApproverConfig } from '../config.js';
import { startApprover, type RunningApprover } from '../start-approver.js';
import { openHouse, type House } from './house.js';

type Settings = Pick<ApproverConfig, 'channels' | 'consoleUrl'>;

export interface Approvers extends House {
  readonly urls: readonly string[];
  readonly bus: Bus;
  readonly cookieSecret: string;
  /** Ends the approvers, while database and bus go on. */
  stopApprovers(): Promise<void>;
  /** As many again, over the same database and bus, with the settings of before or other ones; `urls` are theirs. */
  startApprovers(other?: Settings): Promise<void>;
  /** Opens an ask and tells the approvers, as a worker does. */
  askAloud(...seed: Parameters<House['ask']>): ReturnType<House['ask']>;
}

export async function openApprovers(
  count: number,
  target: BusTarget = { kind: 'memory' },
  settings: Settings = {},
): Promise<Approvers> {
  const house = await openHouse();
  const bus = await createBus(target);
  const cookieSecret = randomBytes(32).toString('base64url');
  const base = { host: '127.0.0.1', port: 0, cookieSecret, logLevel: 'silent', ...settings };
  const running: RunningApprover[] = [];
  const urls: string[] = [];
  const startApprovers = async (other: Settings = {}) => {
    const config = { ...base, ...other };
    const starting = Array.from({ length: count }, () => startApprover({ ledger: house.ledger, bus, config }));
    running.push(...(await Promise.all(starting)));
    urls.splice(0, urls.length, ...running.map(({ url }) => url));
  };
  const stopApprovers = async () => {
    for (const approver of running.splice(0)) await approver.close();
  };
  await startApprovers();
  return {
    ...house,
    stopApprovers,
    startApprovers,
    urls,
    bus,
    cookieSecret,
    askAloud: async (seed) => {
      const made = await house.ask(seed);
      await bus.opened({ tenantId: seed?.tenantId ?? 'acme', askId: made.askId });
      return made;
    },
    close: async () => {
      await stopApprovers();
      await bus.close();
      await house.close();
    },
  };
}
