/** How a session is opened below a parent. */
import { describe, expect, it } from '@jest/globals';
import { inheritedOpening, openedState } from './facts.js';
import { call, opening } from './fixtures/builders.js';

const parent = openedState(call({ opening: opening({ roots: ['/work/app', '/data'] }) }));
const rootsOf = (roots: string[]) => inheritedOpening(opening({ roots }), parent).roots;

describe('a child session', () => {
  it('keeps the roots that lie inside its parent’s', () => {
    expect(rootsOf(['/work/app/packages/a'])).toEqual(['/work/app/packages/a']);
    expect(rootsOf(['/data', '/etc'])).toEqual(['/data']);
  });

  it('never reaches outside: with no root inside it has its parent’s', () => {
    for (const roots of [['/etc'], ['/'], ['/work/app/../..'], ['/work/application'], []]) {
      expect(rootsOf(roots)).toEqual(['/work/app', '/data']);
    }
  });
});
