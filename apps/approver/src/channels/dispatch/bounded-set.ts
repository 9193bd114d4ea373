/** A set that forgets what was added first once it is full. */

export interface BoundedSet {
  has(item: string): boolean;
  add(item: string): void;
}

export function createBoundedSet(limit: number): BoundedSet {
  const items = new Set<string>();
  return {
    has: (item) => items.has(item),
    add: (item) => {
      items.add(item);
      const first = items.values().next();
      if (items.size > limit && !first.done) items.delete(first.value);
    },
  };
}
