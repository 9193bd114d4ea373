import { describe, expect, it } from '@jest/globals';
import { isTransient, retrying, sqlState } from './retry.js';

describe('what is tried again', () => {
  it.each([
    [{ code: '40001' }, true],
    [{ code: '40P01' }, true],
    [{ code: '55P03' }, true],
    [{ code: 'P2010', meta: { code: '40001' } }, true],
    [{ code: 'P2034', message: 'Transaction failed due to a write conflict or a deadlock' }, true],
    [{ code: 'P2002' }, false],
    [{ name: 'DriverAdapterError', cause: { originalCode: '40P01', kind: 'postgres' } }, true],
    [new Error('wrapped', { cause: Object.assign(new Error('x'), { code: '40P01' }) }), true],
    [{ code: 'P2010', message: 'ERROR: deadlock detected' }, true],
    [{ code: '23505' }, false],
    [{ code: 'ECONNREFUSED' }, false],
    ['40001', false],
    [undefined, false],
  ])('%j: %s', (error, expected) => {
    expect(isTransient(error)).toBe(expected);
  });

  it('ends after five attempts with the failure itself', async () => {
    let attempts = 0;
    const failure = Object.assign(new Error('deadlock'), { code: '40P01' });
    const work = async () => {
      attempts += 1;
      throw failure;
    };
    await expect(retrying(work)).rejects.toBe(failure);
    expect(attempts).toBe(5);
  });

  it('does not follow causes for ever', () => {
    const loop: { cause?: unknown } = {};
    loop.cause = loop;
    expect(sqlState(loop)).toBeUndefined();
  });
});
