import { describe, expect, it } from '@jest/globals';
import type { Mode } from '@countersign/contracts';
import { openingFor, type KeyBinding, type OpeningWish } from './opening.js';

const modes = { mode: 'default' as Mode, agentModes: ['default', 'acceptEdits', 'plan'] as Mode[] };
const open: KeyBinding = { policy: null, mode: null, roots: [], home: null };
const bound: KeyBinding = { policy: 'strict', mode: 'plan', roots: ['/srv/app', 'C:\\work'], home: '/home/mira' };

function accept(binding: KeyBinding, wish: OpeningWish) {
  const result = openingFor(binding, wish, modes);
  if (!result.ok) throw new Error(result.message);
  return result.opening;
}
const refused = (binding: KeyBinding, wish: OpeningWish): boolean => !openingFor(binding, wish, modes).ok;

describe('openingFor', () => {
  it('takes the first working directory as the root of an unbound key', () => {
    expect(accept(open, { agent: 'a', cwd: '/srv/x' })).toMatchObject({
      policy: 'default',
      mode: 'default',
      roots: ['/srv/x'],
    });
  });

  it('gives a bound key its own policy, mode, roots and home', () => {
    expect(accept(bound, { agent: 'a' })).toMatchObject({
      policy: 'strict',
      mode: 'plan',
      roots: ['/srv/app', 'C:\\work'],
      home: '/home/mira',
    });
    expect(accept(bound, { agent: 'a', cwd: '/srv/app/web' }).roots).toEqual(['/srv/app/web']);
    expect(accept(bound, { agent: 'a', cwd: '/etc' }).roots).toEqual(['/srv/app', 'C:\\work']);
  });

  it('never takes a working directory that climbs or is relative as a root', () => {
    expect(accept(open, { agent: 'a', cwd: 'x' }).roots).toEqual([]);
    expect(accept(open, { agent: 'a', cwd: '/srv/../etc' }).roots).toEqual([]);
  });

  it.each([
    [{ policy: 'default' }],
    [{ mode: 'bypassPermissions' as Mode }],
    [{ roots: ['/srv'] }],
    [{ roots: ['/srv/app2'] }],
    [{ roots: ['/srv/app/../etc'] }],
    [{ roots: ['srv/app'] }],
    [{ roots: ['/srv/app', '/'] }],
    [{ roots: ['C:\\other'] }],
    [{ roots: ['D:\\work'] }],
  ])('refuses %j', (wish) => {
    expect(refused(bound, { agent: 'a', ...wish })).toBe(true);
  });

  it('takes what is tighter', () => {
    const wish = {
      agent: 'a',
      mode: 'acceptEdits' as Mode,
      roots: ['/srv/app/web', 'C:\\work\\x'],
      silent: true,
      tools: ['Read'],
    };
    expect(accept(bound, wish)).toMatchObject({
      mode: 'acceptEdits',
      roots: wish.roots,
      silent: true,
      tools: ['Read'],
    });
  });
});
