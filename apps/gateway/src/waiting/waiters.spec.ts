import { describe, expect, it } from '@jest/globals';
import type { CallOutcome } from '@countersign/contracts';
import type { WaitedCall } from './waiter.js';
import { Waiters } from './waiters.js';

const never = new AbortController().signal;

const call = (id: string): WaitedCall => ({
  id,
  key: { tenantId: 't1', sessionId: 's1', agent: 'a', toolUseId: id, attempt: 1 },
  tool: 'Bash',
  callHash: 'h',
});
const pending = (id: string): CallOutcome => ({
  id,
  decision: 'pending',
  ruleId: 'r',
  reason: 'asks',
  layer: 'ask',
  approvalStatus: null,
  askId: 'ask_1',
});
const allow = (id: string): CallOutcome => ({
  id,
  decision: 'allow',
  ruleId: 'r',
  reason: 'approved',
  layer: 'ask',
  approvalStatus: 'approved',
});
const make = (maxWaiters = 10, maxChars = 1_000): Waiters => new Waiters({ maxWaiters, maxChars }, () => 0);

describe('waiters', () => {
  it('wakes the one whose call was answered', async () => {
    const waiters = make();
    const first = waiters.open(call('c1'), '{}');
    const second = waiters.open(call('c2'), '{}');
    const answer = first.verdict(1_000, never);
    waiters.takeReply({ callId: 'c1', outcome: allow('c1') });
    expect(await answer).toEqual(allow('c1'));
    expect(second.outcome).toBeNull();
    expect(waiters.unanswered(0)).toEqual([second]);
  });

  it('finds everybody who waits for an ask, but of no other tenant', async () => {
    const waiters = make();
    const sent = waiters.open(call('c1'), '{}');
    waiters.takeReply({ callId: 'c1', outcome: pending('c1') });
    const polls = waiters.join(call('c1'), pending('c1'));
    const ends = [sent.end(1_000, never), polls.end(1_000, never)];
    expect(waiters.waitingFor('t2', 'ask_1')).toEqual([]);
    for (const waiter of waiters.waitingFor('t1', 'ask_1')) waiters.settle(waiter, allow('c1'));
    expect(await Promise.all(ends)).toEqual([allow('c1'), allow('c1')]);
    expect(waiters.pending()).toHaveLength(0);
  });

  it('gives up after its time and when the client goes away', async () => {
    const waiters = make();
    const waiter = waiters.open(call('c1'), '{}');
    expect(await waiter.verdict(5, never)).toBeNull();
    const client = new AbortController();
    const answer = waiter.end(60_000, client.signal);
    client.abort();
    expect(await answer).toBeNull();
    waiters.close(waiter);
    expect(waiters.size).toBe(0);
  });

  it('never replaces a decision', () => {
    const waiters = make();
    const waiter = waiters.open(call('c1'), '{}');
    waiters.takeReply({ callId: 'c1', outcome: allow('c1') });
    waiters.takeReply({ callId: 'c1', outcome: pending('c1') });
    expect(waiter.outcome?.decision).toBe('allow');
  });

  it('refuses more than it may hold, and takes others again afterwards', () => {
    const waiters = make(2, 10);
    const first = waiters.open(call('c1'), '12345678');
    expect(() => waiters.open(call('c2'), '1234')).toThrow('overloaded');
    waiters.takeReply({ callId: 'c1', outcome: pending('c1') });
    waiters.open(call('c2'), '1234');
    expect(() => waiters.open(call('c3'), '')).toThrow('overloaded');
    waiters.close(first);
    waiters.close(first);
    waiters.open(call('c3'), '123456');
    expect(() => waiters.join(call('c4'), pending('c4'))).toThrow('overloaded');
  });
});
