/** The wish to stop, told apart from a failure that forces it. */
import { describe, expect, it } from '@jest/globals';
import { createStopSignal, Stopped } from './stop-signal.js';

const signal = () => createStopSignal({ abort: () => undefined, watchParent: false });

describe('createStopSignal', () => {
  it('takes a signal for a wish', async () => {
    const stop = signal();
    stop.check();
    expect(stop.isWish()).toBe(false);
    process.emit('SIGTERM');
    expect(await stop.requested).toBeNull();
    expect(stop.isWish()).toBe(true);
    expect(() => stop.check()).toThrow(Stopped);
    stop.release();
  });

  it('hands a failure on, to whoever waits and to whoever is still starting', async () => {
    const stop = signal();
    const failure = new Error('the database does not start');
    stop.fail(failure);
    process.emit('SIGTERM');
    expect(await stop.requested).toBe(failure);
    expect(stop.isWish()).toBe(false);
    expect(() => stop.check()).toThrow(failure);
    stop.release();
  });
});
