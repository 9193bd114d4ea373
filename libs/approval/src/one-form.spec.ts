/** States keep one form, whatever happens to them; V8 pays for every other one. */
import { describe, expect, it } from '@jest/globals';
import { sessionEvent } from './events.js';
import { evolve } from './evolve.js';
import { initialState, inOneForm } from './state.js';

const event = sessionEvent('AgentReported', { kind: 'note', detail: 'x' });

describe('the form of a state', () => {
  it('has every field, in one order, whichever order it was stored in', () => {
    const turned = Object.fromEntries(Object.entries({ ...initialState(), sessionId: 's' }).reverse());
    const state = inOneForm(turned as unknown as ReturnType<typeof initialState>);
    expect(state).toEqual({ ...initialState(), sessionId: 's' });
    expect(Object.keys(state)).toEqual(Object.keys(initialState()));
  });

  it('keeps what a later release wrote into it', () => {
    const later = { ...initialState(), meaning: 'of a later release' };
    expect(evolve(later, event)).toEqual(later);
    expect(evolve(later, sessionEvent('SessionReopened', { by: 'key' }))).toMatchObject({
      meaning: 'of a later release',
      stopped: false,
    });
  });
});
