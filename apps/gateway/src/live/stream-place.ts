/** Where a stream stands: in its session, and in each session above it, whose ends it tells of too. */

/** Sequence numbers. `above`: of the sessions above, nearest first; null: the client does not know them. */
export interface StreamPlaces {
  readonly own: number;
  readonly above: readonly number[] | null;
}

/** A number as it may come; more sessions than that stand above none. */
const PLACE = /^\d{1,15}(-\d{1,15}){0,64}$/;

/** Reads what a client says that it has: the `id` of a message, or a plain number. Null: it is none of ours. */
export function readPlaces(text: string): StreamPlaces | null {
  if (!PLACE.test(text)) return null;
  const [own = 0, ...above] = text.split('-').map(Number);
  return { own, above: above.length === 0 ? null : above };
}

/** The `id` of a message: where to go on from. */
export function writePlaces(own: number, above: readonly number[]): string {
  return [own, ...above].join('-');
}
