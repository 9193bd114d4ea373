import { describe, expect, it } from '@jest/globals';
import { MAX_LOST, readTrialNote, returnedNote, trialOf, type JobHistory, type Suspicion } from './trial.js';

const history = (starts: number, noted: Suspicion | null, callIds = ['a', 'b', 'c'], returned = 0): JobHistory => ({
  starts,
  note: noted === null ? readTrialNote(null) : { returned, suspicion: noted },
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

  it('ends: whatever was noted, a job that lost too many workers is refused', () => {
    const notes: (Suspicion | null)[] = [null, { stage: 'again' }, { stage: 'single', calling: 'a', guilty: [] }];
    for (const note of notes) {
      expect(trialOf(history(MAX_LOST + 2, note))).toEqual({ kind: 'refused' });
      expect(trialOf(history(MAX_LOST + 1, note)).kind).not.toBe('refused');
    }
  });

  it('holds no start against a job that a leaving worker gave back, however often', () => {
    let note = readTrialNote(null);
    for (let starts = 1; starts < 50; starts += 1) {
      const trial = trialOf({ starts, note, callIds: ['a'] });
      expect(trial).toEqual({ kind: 'shared' });
      note = returnedNote(note, trial);
    }
  });

  it('keeps what was found out before the job was given back, and blames nobody for that', () => {
    const again = returnedNote(readTrialNote(null), { kind: 'again' });
    expect(trialOf({ starts: 3, note: again, callIds: ['a'] })).toEqual({ kind: 'again' });
    const single = returnedNote(again, { kind: 'single', guilty: ['a'] });
    expect(trialOf({ starts: 5, note: single, callIds: ['a', 'b'] })).toEqual({ kind: 'single', guilty: ['a'] });
  });

  it('trusts no note that it did not write', () => {
    const nothing = { returned: 0, suspicion: { stage: 'none' } };
    const guilty = { stage: 'single', calling: 1, guilty: [] };
    for (const noted of [
      0,
      null,
      'again',
      {},
      { returned: -1, suspicion: { stage: 'again' } },
      { returned: 0, suspicion: guilty },
    ]) {
      expect(readTrialNote(noted)).toEqual(nothing);
    }
    expect(readTrialNote({ returned: 1, suspicion: { stage: 'again' }, more: 1 })).toEqual({
      returned: 1,
      suspicion: { stage: 'again' },
    });
  });
});
