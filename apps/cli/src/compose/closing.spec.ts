/** Parts are closed newest first; one that fails or hangs holds up nobody. */
import { describe, expect, it } from '@jest/globals';
import { createClosing } from './closing.js';

describe('closing', () => {
  it('closes newest first, once, and goes on after a failure and past a part that hangs', async () => {
    const order: string[] = [];
    const closing = createClosing();
    const part = (name: string) => closing.add({ name, withinMs: 1_000, close: async () => void order.push(name) });
    part('database');
    closing.add({ name: 'stuck', withinMs: 20, close: () => new Promise(() => undefined) });
    closing.add({ name: 'broken', withinMs: 1_000, close: () => Promise.reject(new Error('no')) });
    part('gateway');
    const [first, second] = await Promise.all([closing.closeAll(), closing.closeAll()]);
    expect(order).toEqual(['gateway', 'database']);
    expect(first).toEqual(['broken did not stop cleanly: no', 'stuck did not stop in 20 ms']);
    expect(second).toBe(first);
  });
});
