/** A map for what comes and goes all the time: requests that wait, jobs in hand. */

/** Entries that are taken out, beside as many as are left, before the table is made anew. */
const MOST_DELETED = 128;

/**
 * As `Map`, in the order of insertion, but its table is copied now and then. A `Map` that is filled and emptied all the time replaces its
 * tables by itself, each one points to the next, and once one of them has grown old the garbage collector keeps all that ever stood in
 * the later ones until its next full run: some thousand requests with everything that belongs to them.
 */
export class ChurnMap<K, V> {
  private entries = new Map<K, V>();
  private deleted = 0;

  get size(): number {
    return this.entries.size;
  }

  get(key: K): V | undefined {
    return this.entries.get(key);
  }

  has(key: K): boolean {
    return this.entries.has(key);
  }

  /** A copy: entries may go while it is walked through. */
  values(): V[] {
    return [...this.entries.values()];
  }

  set(key: K, value: V): void {
    this.entries.set(key, value);
  }

  /** True: it was there. */
  delete(key: K): boolean {
    if (!this.entries.delete(key)) return false;
    this.deleted += 1;
    if (this.deleted > MOST_DELETED + this.entries.size) {
      this.entries = new Map(this.entries);
      this.deleted = 0;
    }
    return true;
  }
}
