import { describe, expect, it } from '@jest/globals';
import { isOutage } from './is-outage.js';

describe('what says nothing against the calls', () => {
  it.each([
    ['40001', 'a serialization failure'],
    ['40P01', 'a deadlock'],
    ['55P03', 'a lock that was not given in time'],
    ['57014', 'an answer that did not come in time'],
    ['25006', 'a standby after a failover'],
    ['25P02', 'a transaction that failed before'],
    ['26000', 'a statement that another server had prepared'],
    ['28P01', 'a password that is being changed'],
    ['42501', 'rights that were not given yet'],
    ['57P01', 'a server that stops'],
    ['53300', 'too many connections'],
    ['ECONNREFUSED', 'no server'],
  ])('%s, %s', (code) => {
    expect(isOutage(Object.assign(new Error('x'), { code }))).toBe(true);
  });

  it.each(['22P02', '23505', '42P01', '54001', 'P0001', 'XX000', 'ERR_INVALID_ARG_TYPE'])('%s does', (code) => {
    expect(isOutage(Object.assign(new Error('x'), { code }))).toBe(false);
  });
});
