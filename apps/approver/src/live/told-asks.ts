/** What one approver has told its listeners already: the same news comes over the bus more than once, so that it comes at all. */
import type { AskView } from '@countersign/contracts';

export interface ToldAsks {
  /** True once for each state of an open ask that can be seen. */
  isNews(ask: AskView): boolean;
}

/** Remembers `limit` asks, the latest ones; what is forgotten is told again, which does no harm. */
export function createToldAsks(limit: number): ToldAsks {
  const told = new Map<string, string>();
  return {
    isNews: ({ id, version, frozen, deadline }) => {
      const state = `${version} ${frozen} ${deadline}`;
      if (told.get(id) === state) return false;
      told.delete(id);
      told.set(id, state);
      const oldest = told.keys().next();
      if (told.size > limit && !oldest.done) told.delete(oldest.value);
      return true;
    },
  };
}
