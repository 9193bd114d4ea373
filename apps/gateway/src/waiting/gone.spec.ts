import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { goneWith } from './gone.js';

/** The two things of a response that are watched. */
function response(writableFinished: boolean): ServerResponse {
  return Object.assign(new EventEmitter(), { writableFinished }) as unknown as ServerResponse;
}

describe('goneWith', () => {
  it('tells every listener once when the connection closes before the answer was written', () => {
    const answer = response(false);
    const gone = goneWith(answer);
    const told: string[] = [];
    const left = (): void => void told.push('left');
    gone.addEventListener('abort', () => told.push('first'));
    gone.addEventListener('abort', left);
    gone.removeEventListener('abort', left);
    expect(gone.aborted).toBe(false);
    answer.emit('close');
    answer.emit('close');
    expect(gone.aborted).toBe(true);
    expect(told).toEqual(['first']);
  });

  it('says nothing when the answer was written', () => {
    const answer = response(true);
    const gone = goneWith(answer);
    gone.addEventListener('abort', () => expect('told').toBe('not told'));
    answer.emit('close');
    expect(gone.aborted).toBe(false);
  });
});
