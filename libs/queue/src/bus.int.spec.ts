/** One suite for both buses: messages reach who should hear them, and nothing else breaks them. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { CallOutcome, DecidedMessage, Reply } from '@countersign/contracts';
import { startRedis, startTcpProxy, type RedisFixture, type TcpProxy } from '@countersign/testing';
import {
  createBus,
  createSeal,
  newSealKey,
  openReplies,
  QueueUnavailable,
  QueueUnfit,
  sealReplies,
  type Bus,
  type BusTarget,
} from './index.js';

const seal = createSeal(newSealKey());

const outcome: CallOutcome = {
  id: 'call_1',
  decision: 'deny',
  ruleId: 'default.deny',
  reason: 'a \u0000 and a \ud800',
  layer: 'default',
  approvalStatus: 'not_required',
  updatedInput: JSON.parse('{"__proto__":{"x":1}}') as unknown,
};
const reply = (callId: string): Reply => ({ callId, outcome });
const ended: DecidedMessage = {
  tenantId: 't',
  sessionId: 's',
  askId: 'a',
  status: 'expired',
  channel: 'system',
  outcome,
};

async function until(holds: () => boolean | Promise<boolean>, ms = 10_000): Promise<void> {
  const end = performance.now() + ms;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

let redis: RedisFixture;
let proxy: TcpProxy;
const buses: Bus[] = [];
const errors: Error[] = [];
const open = async (target: BusTarget): Promise<Bus> => {
  const bus = await createBus({ ...target, onError: (error) => errors.push(error) });
  buses.push(bus);
  return bus;
};
beforeAll(async () => {
  redis = await startRedis();
  proxy = await startTcpProxy(redis.url);
});
afterEach(async () => {
  proxy.restore();
  await Promise.all(buses.splice(0).map((bus) => bus.close()));
  errors.length = 0;
});
afterAll(async () => {
  await proxy.close();
  await redis.stop();
});

describe.each([
  ['memory', (): BusTarget => ({ kind: 'memory' })],
  ['Redis', (): BusTarget => ({ kind: 'redis', url: proxy.url, prefix: `{test-${randomUUID()}}` })],
])('the bus over %s', (_name, target) => {
  it('brings replies to their gateway only, in order and whole', async () => {
    const bus = await open(target());
    const heard: Reply[] = [];
    const others: Reply[] = [];
    await bus.onReplies('g1', (sealed) => void heard.push(...openReplies(seal, sealed)));
    await bus.onReplies('g2', (sealed) => void others.push(...openReplies(seal, sealed)));
    await bus.reply('g1', sealReplies(seal, [reply('one'), reply('two')]));
    await bus.reply('g1', sealReplies(seal, [reply('three')]));
    await bus.reply('g2', sealReplies(seal, [reply('four')]));
    await until(() => heard.length === 3 && others.length === 1);
    expect(heard).toEqual([reply('one'), reply('two'), reply('three')]);
    expect(Object.keys(heard[0]!.outcome.updatedInput as object)).toEqual(['__proto__']);
  });

  it('tells every listener of ends and openings until it unsubscribes', async () => {
    const shared = target();
    const bus = await open(shared);
    const two = shared.kind === 'redis' ? await open(shared) : bus;
    const heard: string[] = [];
    const stop = await bus.onDecided((message) => void heard.push(`1 ${message.askId}`));
    await two.onDecided((message) => void heard.push(`2 ${message.askId}`));
    await two.onOpened((message) => void heard.push(`opened ${message.askId}`));
    await bus.decided(ended);
    await bus.opened({ tenantId: 't', askId: 'b' });
    await until(() => heard.length === 3);
    expect(heard.sort()).toEqual(['1 a', '2 a', 'opened b']);
    await stop();
    await bus.decided(ended);
    await until(() => heard.length === 4);
    expect(heard[3]).toBe('2 a');
  });

  it('tells of every end when thousands come at one time, though one listener throws', async () => {
    const bus = await open(target());
    const heard: string[] = [];
    await bus.onDecided(() => {
      throw new Error('broken listener');
    });
    await bus.onDecided(({ askId }) => void heard.push(askId));
    const ids = Array.from({ length: 2_000 }, (_, place) => `ask-${place}`);
    await Promise.all(ids.map((askId) => bus.decided({ ...ended, askId })));
    await bus.decided(ended);
    await until(() => heard.length > ids.length);
    expect(heard).toEqual([...ids, ended.askId]);
    expect(errors.filter(({ message }) => message === 'broken listener')).toHaveLength(heard.length);
  });

  it('drops malformed messages and survives listeners that throw', async () => {
    const bus = await open(target());
    const heard: Reply[] = [];
    await bus.onReplies('g', () => {
      throw new Error('broken listener');
    });
    await bus.onReplies('g', (sealed) => void heard.push(...openReplies(seal, sealed)));
    await bus.reply('g', seal.seal(JSON.stringify([{ callId: 5 }])));
    await bus.reply('g', sealReplies(seal, [reply('one')]));
    await until(() => heard.length === 1);
    expect(errors.map((error) => error.message)).toContain('broken listener');
    expect(errors.some((error) => error.name === 'ZodError')).toBe(true);
    await bus.ping();
  });
});

describe('the bus over Redis', () => {
  it.each(['cut', 'silence'] as const)(
    'never throws while Redis is away (%s), and hears again after',
    async (fault) => {
      const bus = await open({ kind: 'redis', url: proxy.url, prefix: `{test-${randomUUID()}}` });
      const heard: string[] = [];
      await bus.onOpened((message) => void heard.push(message.askId));
      proxy[fault]();
      const startedAt = performance.now();
      await bus.opened({ tenantId: 't', askId: 'lost' });
      expect(performance.now() - startedAt).toBeLessThan(1_500);
      await expect(bus.ping()).rejects.toThrow(QueueUnavailable);
      proxy.restore();
      await until(() =>
        bus.ping().then(
          () => true,
          () => false,
        ),
      );
      await until(async () => {
        await bus.opened({ tenantId: 't', askId: 'found' });
        return heard.includes('found');
      });
    },
    20_000,
  );

  it('notices a connection that died without a word', async () => {
    const bus = await open({ kind: 'redis', url: proxy.url, prefix: `{test-${randomUUID()}}` });
    const heard: string[] = [];
    await bus.onOpened((message) => void heard.push(message.askId));
    proxy.silence();
    proxy.restore({ leaveDead: true });
    await until(async () => {
      await bus.opened({ tenantId: 't', askId: 'found' });
      return heard.includes('found');
    }, 40_000);
  }, 50_000);

  it('closes in time while Redis is silent', async () => {
    const bus = await open({ kind: 'redis', url: proxy.url });
    proxy.silence();
    const startedAt = performance.now();
    await bus.close();
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });

  it('explains at start-up that Redis cannot be reached', async () => {
    await expect(createBus({ kind: 'redis', url: 'redis://127.0.0.1:1' })).rejects.toThrow(QueueUnfit);
  }, 10_000);
});
