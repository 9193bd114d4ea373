/** How fast a kill switch reaches running processes: engaged again and again while every gateway is full of calls. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApartHouse } from '../system/apart-house.js';
import { eventually, send } from '../system/doors.js';

export interface Reach {
  /** Engagement to the confirmation of the last process, in milliseconds of the database's clock. */
  readonly confirmed: number;
  /** From the engaging answer to the last allow that any agent still received; 0: none came later. */
  readonly lastAllow: number;
}

interface Load {
  /** When the last allow was received. */
  lastAllow: number;
  answers: number;
  stop(): Promise<void>;
}

/** Calls at every gateway, a few at once, that the policy allows. */
function startLoad({ gateways, keys }: ApartHouse): Load {
  let stopped = false;
  const load = { lastAllow: 0, answers: 0, stop: () => Promise.resolve() };
  const caller = async (url: string): Promise<void> => {
    const sessionId = randomUUID();
    while (!stopped) {
      const body = {
        sessionId,
        toolUseId: randomUUID(),
        tool: 'Bash',
        args: { command: 'echo hi' },
        cwd: '/srv',
        wait: 0,
      };
      const answer = await send(`${url}/v1/tool-calls`, { key: keys.agentKey, body });
      load.answers += 1;
      if (answer.body.decision === 'allow') load.lastAllow = performance.now();
      else if (answer.body.ruleId === 'guard.killed') await pause(10);
      else throw new Error(`unexpected answer ${JSON.stringify(answer.body)}`);
      await pause(5);
    }
  };
  const callers = gateways.flatMap((url) => [caller(url), caller(url)]);
  // What one throws is told when the load is stopped.
  for (const one of callers) one.catch(() => undefined);
  load.stop = async () => {
    stopped = true;
    await Promise.all(callers);
  };
  return load;
}

/** `times` engagements, each released again before the next. */
export async function measureReach(house: ApartHouse, times: number): Promise<Reach[]> {
  const [approver = ''] = house.approvers;
  const key = house.keys.approverKey;
  const load = startLoad(house);
  const reaches: Reach[] = [];
  try {
    for (let count = 0; count < times; count += 1) {
      const flowing = load.lastAllow;
      await eventually(async () => load.lastAllow > flowing);
      const body = { scope: 'tool', value: 'Bash', reason: 'drill' };
      const made = await send(`${approver}/v1/kill-switches`, { key, body });
      const engagedAt = performance.now();
      const path = `${approver}/v1/kill-switches/${String(made.body.id)}`;
      const details = await eventually(async () => {
        const { body: kill } = await send(path, { key });
        return kill['reached'] === true && kill;
      });
      const processes = details['processes'] as { afterMs: number }[];
      if (processes.length < 6) throw new Error(`only ${processes.length} processes are known`);
      // Whatever was on its way has arrived by then.
      await pause(300);
      const lastAllow = Math.max(0, load.lastAllow - engagedAt);
      reaches.push({ confirmed: Math.max(...processes.map(({ afterMs }) => afterMs)), lastAllow });
      await send(`${path}/release`, { key, body: {} });
    }
  } finally {
    await load.stop();
  }
  return reaches;
}

/** The value that `share` of all do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
