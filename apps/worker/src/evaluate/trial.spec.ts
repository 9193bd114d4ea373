import { describe, expect, it } from '@jest/globals';
import { MAX_STARTS, readTrialNote, trialOf, type JobHistory, type TrialNote } from './trial.js';

const history = (starts: number, note: TrialNote | null, callIds = ['a', 'b', 'c']): JobHistory => ({
  starts,
  note,
  callIds,
});

describe('trialOf', () => {
  it('judges a job with all others, also after it was lost once', () => {
    expect(trialOf(history(1, null))).toEqual({ kind: 'shared' });
    expect(trialOf(history(2, null))).toEqual({ kind: 'again' });
  });

  it('judges one by one what was lost twice, and knows the call that was alone', () => {
    expect(trialOf(history(3, { stage: 'again' }))).toEqual({ kind: 'single', guilty: [] });
    expect(trialOf(history(3, { stage: 'again' }, ['a']))).toEqual({ kind: 'single', guilty: ['a'] });
  });

  it('blames the call that was being judged, and keeps those that were blamed before', () => {
    const first = trialOf(history(3, { stage: 'single', calling: 'a', guilty: [] }));
    expect(first).toEqual({ kind: 'single', guilty: ['a'] });
    expect(trialOf(history(4, { stage: 'single', calling: 'b', guilty: ['a'] }))).toEqual({
      kind: 'single',
      guilty: ['a', 'b'],
    });
    expect(trialOf(history(4, { stage: 'single', calling: null, guilty: ['a'] }))).toEqual({
      kind: 'single',
      guilty: ['a'],
    });
  });

  it('ends: whatever was noted, a job that was begun too often is refused', () => {
    const notes: (TrialNote | null)[] = [null, { stage: 'again' }, { stage: 'single', calling: 'a', guilty: [] }];
    for (const note of notes) {
      expect(trialOf(history(MAX_STARTS + 1, note))).toEqual({ kind: 'refused' });
      expect(trialOf(history(MAX_STARTS, note)).kind).not.toBe('refused');
    }
  });

  it('trusts no note that it did not write', () => {
    for (const noted of [0, null, 'single', {}, { stage: 'single' }, { stage: 'single', calling: 1, guilty: [] }]) {
      expect(readTrialNote(noted)).toBeNull();
    }
    expect(readTrialNote({ stage: 'again', more: 1 })).toEqual({ stage: 'again' });
  });
});
