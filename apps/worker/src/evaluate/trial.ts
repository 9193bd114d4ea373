/** How a job is judged that a worker began before and did not finish: which of its calls ended that worker is found out step by step. */
import { z } from 'zod';

/**
 * What a worker writes beside a job before it judges. `again`: the job is begun for the second time. `single`: one call after the
 * other, `calling` is the one that is being judged, `guilty` are those that ended a worker. Ids only.
 */
export const trialNoteSchema = z.discriminatedUnion('stage', [
  z.object({ stage: z.literal('again') }),
  z.object({ stage: z.literal('single'), calling: z.string().nullable(), guilty: z.array(z.string()) }),
]);
export type TrialNote = z.infer<typeof trialNoteSchema>;

export type Trial =
  /** Nothing is known against the job: its calls share a round with others. */
  | { readonly kind: 'shared' }
  /** The same, but noted: should it end this worker too, it was one of its calls. */
  | { readonly kind: 'again' }
  | { readonly kind: 'single'; readonly guilty: readonly string[] }
  /** It was begun so often that no call of it is judged any more. */
  | { readonly kind: 'refused' };

export interface JobHistory {
  /** How often a worker began with the job, this time included. */
  readonly starts: number;
  /** The last note; null when there is none or it cannot be read. */
  readonly note: TrialNote | null;
  readonly callIds: readonly string[];
}

/** INVARIANT: it ends. A job is begun at most this often before every call of it that is not stored yet is denied. */
export const MAX_STARTS = 10;

/**
 * A worker may be lost for reasons of its own (a deployment, a starved host), and then all its jobs are begun again: a first loss
 * proves nothing, and must not make a busy house slow.
 */
export function trialOf({ starts, note, callIds }: JobHistory): Trial {
  if (starts > MAX_STARTS) return { kind: 'refused' };
  switch (note?.stage) {
    case 'single':
      return { kind: 'single', guilty: note.calling === null ? note.guilty : [...note.guilty, note.calling] };
    case 'again':
      return { kind: 'single', guilty: callIds.length === 1 ? callIds : [] };
    case undefined:
      return { kind: starts <= 1 ? 'shared' : 'again' };
    default:
      throw new Error(`unknown note ${String(note satisfies never)}`);
  }
}

/** Null for anything that no worker of ours wrote. */
export function readTrialNote(noted: unknown): TrialNote | null {
  const parsed = trialNoteSchema.safeParse(noted);
  return parsed.success ? parsed.data : null;
}
