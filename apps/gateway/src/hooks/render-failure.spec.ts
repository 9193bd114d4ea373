/** Which failures are told in the agents' form. */
import { describe, expect, it } from '@jest/globals';
import { DoorError } from '@countersign/contracts';
import { renderHookFailure } from './hooks.controller.js';

const told = (url: string, method = 'POST') => renderHookFailure(new DoorError('door.unknown'), { method, url });

describe('renderHookFailure', () => {
  it.each([
    '/hooks/claude-code',
    '//hooks/x',
    '/hooks',
    '/hooks?a=b',
    '/hooks/a/b',
    '/%68ooks/x',
    '/HOOKS/x',
    '/hooks/%zz',
  ])('refuses %s as agents understand it', (url) => {
    expect(told(url)).toEqual({ status: 200, body: { decision: 'block', reason: 'Countersign: no such door' } });
  });

  it('leaves every other door its own form', () => {
    for (const url of ['/v1/tool-calls', '/hooksx', '/v1/hooks/x', '/?/hooks/x']) expect(told(url)).toBeNull();
    expect(told('/hooks/claude-code', 'GET')).toBeNull();
  });
});
