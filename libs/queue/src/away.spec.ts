import { describe, expect, it } from '@jest/globals';
import { isAway, isDemoted } from './away.js';
import { QueueFull, QueueUnavailable } from './queue-errors.js';

const coded = (code: string, message = ''): Error => Object.assign(new Error(message), { code });

describe('isAway', () => {
  it.each([
    coded('ECONNREFUSED'),
    coded('57P01', 'terminating connection due to administrator command'),
    coded('53300', 'sorry, too many clients already'),
    new QueueUnavailable('no answer'),
    new Error("READONLY You can't write against a read only replica."),
    new Error("OOM command not allowed when used memory > 'maxmemory'."),
    new Error('LOADING Redis is loading the dataset in memory'),
    new Error('UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)'),
    new Error('Connection is closed.'),
    new Error("Stream isn't writeable and enableOfflineQueue options is false"),
    new Error('Connection terminated unexpectedly'),
    new Error('timeout exceeded when trying to connect'),
    new Error('Query read timeout'),
  ])('tells an absent service from news: %s', (error) => {
    expect(isAway(error)).toBe(true);
  });

  it.each([
    new Error('Missing lock for job 5. moveToFinished'),
    new Error('could not renew lock for job 5'),
    new QueueFull('the queue holds 5 waiting jobs'),
    coded('23505', 'duplicate key value'),
    new Error('the job does not have the expected shape'),
    'text',
    null,
    undefined,
  ])('takes nothing else for one: %s', (error) => {
    expect(isAway(error)).toBe(false);
  });
});

describe('isDemoted', () => {
  it('knows a server that became a replica, with and without a script', () => {
    expect(isDemoted(new Error("READONLY You can't write against a read only replica. script: 5ab"))).toBe(true);
    expect(isDemoted(new Error('ERR Error running script: READONLY You cannot write'))).toBe(true);
    expect(isDemoted(new Error('OOM command not allowed'))).toBe(false);
  });
});
