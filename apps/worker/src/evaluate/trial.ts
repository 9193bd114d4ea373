/** How a job is judged that a worker began before and did not finish: which of its calls ended that worker is found out step by step. */
import { z } from 'zod';

/**
 * What is held against a job. `again`: it is begun once more after a worker was lost. `single`: one call after the other, `calling` is
 * the one that is being judged, `guilty` are those that ended a worker. Ids only.
 */
const suspicionSchema = z.discriminatedUnion('stage', [
  z.object({ stage: z.literal('none') }),
  z.object({ stage: z.literal('again') }),
  z.object({ stage: z.literal('single'), calling: z.string().nullable(), guilty: z.array(z.string()) }),
]);
export type Suspicion = z.infer<typeof suspicionSchema>;

/** What a worker writes beside a job. `returned`: how often one that was leaving gave it back unharmed. */
export const trialNoteSchema = z.object({ returned: z.int().nonnegative(), suspicion: suspicionSchema });
export type TrialNote = z.infer<typeof trialNoteSchema>;

const NO_NOTE: TrialNote = { returned: 0, suspicion: { stage: 'none' } };

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
  readonly note: TrialNote;
  readonly callIds: readonly string[];
}

/** INVARIANT: it ends. A job may lose at most this many workers before every call of it that is not stored yet is denied. */
export const MAX_LOST = 9;

/**
 * A worker may be lost for reasons of its own (a deployment, a starved host), and then all its jobs are begun again: a first loss
 * proves nothing, and must not make a busy house slow.
 */
export function trialOf({ starts, note: { returned, suspicion }, callIds }: JobHistory): Trial {
  const lost = starts - 1 - returned;
  if (lost > MAX_LOST) return { kind: 'refused' };
  switch (suspicion.stage) {
    case 'single': {
      const { calling, guilty } = suspicion;
      return { kind: 'single', guilty: calling === null ? guilty : [...guilty, calling] };
    }
    case 'again':
      return { kind: 'single', guilty: callIds.length === 1 ? callIds : [] };
    case 'none':
      return { kind: lost <= 0 ? 'shared' : 'again' };
    default:
      throw new Error(`unknown suspicion ${String(suspicion satisfies never)}`);
  }
}

/** What a worker that leaves writes beside the job that it gives back: it was not ended by any call, so nothing is added but that. */
export function returnedNote({ returned }: TrialNote, trial: Trial): TrialNote {
  const suspicion: Suspicion =
    trial.kind === 'single' ? { stage: 'single', calling: null, guilty: [...trial.guilty] } : { stage: 'none' };
  return { returned: returned + 1, suspicion };
}

/** Empty for anything that no worker of ours wrote. */
export function readTrialNote(noted: unknown): TrialNote {
  const parsed = trialNoteSchema.safeParse(noted);
  return parsed.success ? parsed.data : NO_NOTE;
}
