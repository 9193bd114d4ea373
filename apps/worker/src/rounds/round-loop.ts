/**
 * Gathers items and runs them in rounds. While one round waits for the database the next is drafted, if it is about other things and
 * worth a round of its own; everything else gathers.
 */

export interface RoundLoop<T> {
  /**
   * Resolves when every round that holds some of `items` has ended; rejects then with the error that ended one of them. `alone`: nothing
   * else runs meanwhile.
   */
  submit(items: readonly T[], options?: { alone: boolean }): Promise<void>;
  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void>;
}

export interface RoundLoopOptions<T> {
  readonly run: (items: T[]) => Promise<void>;
  /**
   * Most items of a round: a larger submission is stored in parts, so that the next part is drafted meanwhile. INVARIANT: what has a
   * topic in common stays together, however much it is: a part that fails must not be overtaken by calls of the same session.
   */
  readonly maxItems: number;
  /** What an item is about. INVARIANT: rounds that run at once have no topic in common, and items of one topic run in order. */
  readonly topicsOf: (item: T) => readonly string[];
}

/** One that is being drafted, one that is being stored: more would only make rounds smaller. */
const ROUNDS_AT_ONCE = 2;

interface Entry<T> {
  readonly items: readonly T[];
  readonly topics: readonly string[];
  readonly alone: boolean;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Running {
  readonly items: number;
  readonly topics: ReadonlySet<string>;
  readonly alone: boolean;
}

/** `run` gets the items of whole submissions, as far as they fit, oldest first. */
export function createRoundLoop<T>({ run, maxItems, topicsOf }: RoundLoopOptions<T>): RoundLoop<T> {
  const waiting: Entry<T>[] = [];
  const running = new Set<Running>();
  const whenIdle: (() => void)[] = [];

  async function runOne(entries: readonly Entry<T>[], round: Running): Promise<void> {
    try {
      await run(entries.flatMap((entry) => entry.items));
      for (const entry of entries) entry.resolve();
    } catch (error) {
      for (const entry of entries) entry.reject(error);
    }
    running.delete(round);
    begin();
    if (running.size === 0) whenIdle.splice(0).forEach((resolve) => resolve());
  }

  function begin(): void {
    while (waiting.length > 0 && running.size < ROUNDS_AT_ONCE) {
      const count = entriesOfNext(waiting, [...running], maxItems);
      if (count === 0) return;
      const entries = waiting.splice(0, count);
      const round = {
        items: sizeOf(entries),
        topics: new Set(entries.flatMap(({ topics }) => topics)),
        alone: entries[0]?.alone === true,
      };
      running.add(round);
      void runOne(entries, round);
    }
  }

  return {
    submit: async (items, { alone } = { alone: false }) => {
      const about = items.map((item) => ({ item, topics: topicsOf(item) }));
      const parts = partsOf(about, maxItems).map(
        (part) =>
          new Promise<void>((resolve, reject) => {
            const topics = part.flatMap((one) => one.topics);
            waiting.push({ items: part.map(({ item }) => item), topics, alone, resolve, reject });
          }),
      );
      begin();
      // All of them, also after a failure: whoever is told of it tries again, and must not meet a part that still runs.
      const failed = (await Promise.allSettled(parts)).find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    },
    idle: () => (running.size === 0 ? Promise.resolve() : new Promise((resolve) => whenIdle.push(resolve))),
  };
}

interface About {
  readonly topics: readonly string[];
}

/** Parts of about equal size without a common topic, the items of each in their order. */
function partsOf<A extends About>(items: readonly A[], maxItems: number): (readonly A[])[] {
  if (items.length <= maxItems) return items.length === 0 ? [] : [items];
  const size = Math.ceil(items.length / Math.ceil(items.length / maxItems));
  const parts: Group<A>['items'][] = [];
  for (const group of groupsOf(items)) {
    const last = parts.at(-1);
    if (last === undefined || last.length + group.items.length > size) parts.push([...group.items]);
    else last.push(...group.items);
  }
  return parts.map((part) => part.sort((a, b) => a.place - b.place).map(({ item }) => item));
}

interface Group<A> {
  readonly items: { readonly item: A; readonly place: number }[];
  readonly topics: Set<string>;
}

/** Items that are joined by their topics, directly or over others. */
function groupsOf<A extends About>(items: readonly A[]): Set<Group<A>> {
  const groups = new Set<Group<A>>();
  const byTopic = new Map<string, Group<A>>();
  for (const [place, item] of items.entries()) {
    const met = new Set(item.topics.flatMap((topic) => byTopic.get(topic) ?? []));
    const [group = { items: [], topics: new Set() }, ...others] = met;
    groups.add(group);
    group.items.push({ item, place }, ...others.flatMap((other) => other.items));
    for (const topic of [item, ...others].flatMap(({ topics }) => [...topics])) {
      group.topics.add(topic);
      byTopic.set(topic, group);
    }
    for (const other of others) groups.delete(other);
  }
  return groups;
}

const sizeOf = (entries: readonly { readonly items: readonly unknown[] }[]): number =>
  entries.reduce((sum, { items }) => sum + items.length, 0);

/** How many of the oldest entries make the next round now; 0: what waits is better left to gather. */
function entriesOfNext<T>(waiting: readonly Entry<T>[], running: readonly Running[], maxItems: number): number {
  if (running.some(({ alone }) => alone)) return 0;
  if (waiting[0]?.alone === true) return running.length === 0 ? 1 : 0;
  const isBusy = (topic: string): boolean => running.some(({ topics }) => topics.has(topic));
  const stop = waiting.findIndex(({ alone, topics }) => alone || topics.some(isBusy));
  const free = stop === -1 ? waiting : waiting.slice(0, stop);
  const next = free.slice(0, fitting(free, maxItems));
  // A small round costs nearly as much as a large one.
  return running.every((round) => sizeOf(next) * 2 >= round.items) ? next.length : 0;
}

/** How many of them are one round; one alone may be larger. */
function fitting(entries: readonly { readonly items: readonly unknown[] }[], maxItems: number): number {
  let items = 0;
  const over = entries.findIndex((entry, place) => (items += entry.items.length) > maxItems && place > 0);
  return over === -1 ? entries.length : over;
}
