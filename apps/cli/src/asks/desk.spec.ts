/** The person at the terminal: which key answers what. */
import { describe, expect, it } from '@jest/globals';
import type { AskView } from '@countersign/contracts';
import { EMPTY_DESK, step, type DeskEffect, type DeskEvent } from './desk.js';

const ask = (id: string) => ({ id }) as AskView;
const key = (pressed: string): DeskEvent => ({ type: 'key', key: pressed });

function run(...events: DeskEvent[]): string[] {
  let desk = EMPTY_DESK;
  const said: string[] = [];
  for (const event of events) {
    const next = step(desk, event);
    desk = next.desk;
    said.push(...next.effects.map(nameOf));
  }
  return said;
}

function nameOf(effect: DeskEffect): string {
  if (effect.type === 'say') return effect.text;
  if (effect.type === 'quit') return 'quit';
  return [effect.type, effect.ask.id, 'answer' in effect ? effect.answer : ''].join(' ').trim();
}

describe('the desk', () => {
  const one: DeskEvent = { type: 'opened', ask: ask('1') };
  const two: DeskEvent = { type: 'opened', ask: ask('2') };

  it('answers what stands on the screen, and only after `y`', () => {
    expect(run(one, two, key('a'), key('y'))).toEqual(['show 1', 'confirm 1 approve', 'answer 1 approve']);
    expect(run(one, key('r'), key('y'))).toEqual(['show 1', 'confirm 1 reject', 'answer 1 reject']);
    expect(run(one, key('y'), key('x'), key('a'), key('a'))).toEqual(['show 1', 'confirm 1 approve', 'not answered']);
  });

  it('B03 answers no ask with keys that were pressed for another', () => {
    const gone: DeskEvent = { type: 'closed', id: '1' };
    expect(run(one, two, key('a'), gone, key('y'))).toEqual(['show 1', 'confirm 1 approve', 'show 2']);
    expect(run(one, two, key('a'), key('n'), key('y'))).toEqual(['show 1', 'confirm 1 approve', 'not answered']);
  });

  it('goes round the open ones, and says when there is none', () => {
    expect(run(one, two, key('n'), key('n'))).toEqual(['show 1', 'show 2', 'show 1']);
    expect(run(one, { type: 'closed', id: '1' }, key('a'), key('y'))).toEqual(['show 1', 'nobody is asked anything']);
    expect(run(key('q'), key('\u0003'))).toEqual(['quit', 'quit']);
  });
});
