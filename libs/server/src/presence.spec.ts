/** Who lives, and whether their keys fit, over the bus of one process. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createBus, newSealKey, sealChecks, type Bus } from '@countersign/queue';
import { joinPresence, type Presence, type PresenceOptions } from './presence.js';

jest.setTimeout(60_000);

const [KEY, OLD, OTHER] = [newSealKey(), newSealKey(), newSealKey()] as const;
const joined: Presence[] = [];
let bus: Bus;
let now = 0;

beforeEach(async () => {
  bus = await createBus({ kind: 'memory' });
  now = 0;
});
afterEach(async () => {
  await Promise.all(joined.splice(0).map((one) => one.stop()));
  await bus.close();
});

async function join(app: 'gateway' | 'worker', keys: string[], more: Partial<PresenceOptions> = {}): Promise<Presence> {
  const id = `${app} ${joined.length}`;
  const presence = await joinPresence({
    bus,
    app,
    id,
    seals: sealChecks(keys),
    now: () => now,
    everyMs: 60_000,
    ...more,
  });
  joined.push(presence);
  return presence;
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('a gateway', () => {
  it('is ready while a worker lives, and not when it is gone', async () => {
    const worker = await join('worker', [KEY]);
    const gateway = await join('gateway', [KEY]);
    await expect(gateway.requireWorker()).rejects.toThrow('no worker takes calls');
    worker.appear();
    await gateway.requireWorker();
    expect(gateway.others).toBe(1);
    now = 240_001;
    await expect(gateway.requireWorker()).rejects.toThrow('no worker takes calls');
  });

  it('hears of a worker whose keys do not fit while it still asks who is there', async () => {
    const worker = await join('worker', [OTHER]);
    worker.appear();
    await settled();
    const misfits: string[] = [];
    const slow: Bus = {
      ...bus,
      alive: async (message) => {
        await bus.alive(message);
        await settled();
      },
    };
    await join('gateway', [KEY], { bus: slow, onMisfit: (problem) => misfits.push(problem) });
    expect(misfits).toHaveLength(1);
  });

  it('hears at once of a worker that was there before it, and of one that leaves', async () => {
    const worker = await join('worker', [KEY]);
    worker.appear();
    await settled();
    const gateway = await join('gateway', [KEY]);
    await gateway.requireWorker();
    await worker.leave();
    await settled();
    expect(gateway.others).toBe(0);
  });

  it('does not count on a worker whose database is away', async () => {
    let up = true;
    const worker = await join('worker', [KEY], { speaks: () => up, everyMs: 5 });
    const gateway = await join('gateway', [KEY]);
    worker.appear();
    await gateway.requireWorker();
    up = false;
    await settled();
    await expect(gateway.requireWorker()).rejects.toThrow('no worker takes calls');
  });
});

describe('seal keys', () => {
  it.each([
    ['equal', [KEY], [KEY], null],
    ['worker knows the new one already', [OLD], [KEY, OLD], null],
    ['both replace', [KEY, OLD], [KEY, OLD], null],
    ['different', [KEY], [OTHER], 'not the one of a running'],
    ['gateway seals with one that the worker lacks', [KEY, OLD], [OLD], 'not the one of a running'],
  ] as const)('%s', async (_case, gatewayKeys, workerKeys, problem) => {
    const lines: string[] = [];
    const worker = await join('worker', [...workerKeys], { onMisfit: (line) => lines.push(line) });
    worker.appear();
    await settled();
    const gateway = await join('gateway', [...gatewayKeys]);
    gateway.appear();
    await settled();
    for (const one of [gateway, worker]) {
      if (problem === null) expect(one.sealProblem()).toBeNull();
      else expect(one.sealProblem()).toContain(problem);
    }
    expect(lines).toHaveLength(problem === null ? 0 : 1);
    if (problem !== null) await expect(gateway.requireWorker()).rejects.toThrow('no worker has the key');
  });

  it('are not told: only a value that is equal for equal keys', async () => {
    const heard: string[] = [];
    await bus.onAlive((message) => heard.push(JSON.stringify(message)));
    const worker = await join('worker', [KEY]);
    worker.appear();
    await settled();
    expect(heard.join('')).toContain(sealChecks(KEY)[0]);
    expect(heard.join('')).not.toContain(KEY.slice(0, 8));
    expect(sealChecks(KEY)).not.toEqual(sealChecks(OTHER));
  });
});
