/** How a job is judged that a worker began before and did not finish: which of its calls ended that worker is found out step by step. */
import { z } from 'zod';

/**
 * What a worker writes beside a job before it judges. `together`: all calls in one round of their own. `single`: one call after the
 * other, `calling` is the one that is being judged, `guilty` are those that ended a worker. Ids only.
 */
export const trialNoteSchema = z.discriminatedUnion('stage', [
  z.object({ stage: z.literal('together') }),
  z.object({ stage: z.literal('single'), calling: z.string().nullable(), guilty: z.array(z.string()) }),
]);
export type TrialNote = z.infer<typeof trialNoteSchema>;

export type Trial =
  /** Nothing is known against the job: its calls share a round with others. */
  | { readonly kind: 'shared' }
  | { readonly kind: 'together' }
  | { readonly kind: 'single'; readonly guilty: readonly string[] }
  /** It was begun so often that no call of it is judged any more. */
  | { readonly kind: 'refused' };

export interface JobHistory {
  /** How often a worker began with the job, this time included. */
  readonly starts: number;
  /** The last note; null when there is none or it cannot be read. */
  readonly note: TrialNote | null;
  readonly calls: number;
}

/** INVARIANT: it ends. A job is begun at most this often before every call of it that is not stored yet is denied. */
export const MAX_STARTS = 10;
/** So few calls are judged one by one at once: that a batch of them is fine would be found out no sooner. */
const FEW_CALLS = 16;

/** A worker may have ended for reasons of its own, so a first loss proves nothing against any call. */
export function trialOf({ starts, note, calls }: JobHistory): Trial {
  if (starts > MAX_STARTS) return { kind: 'refused' };
  if (note?.stage === 'single') {
    return { kind: 'single', guilty: note.calling === null ? note.guilty : [...note.guilty, note.calling] };
  }
  if (note?.stage === 'together') return { kind: 'single', guilty: [] };
  if (starts <= 1) return { kind: 'shared' };
  return calls <= FEW_CALLS ? { kind: 'single', guilty: [] } : { kind: 'together' };
}

/** Null for anything that no worker of ours wrote. */
export function readTrialNote(noted: unknown): TrialNote | null {
  const parsed = trialNoteSchema.safeParse(noted);
  return parsed.success ? parsed.data : null;
}
