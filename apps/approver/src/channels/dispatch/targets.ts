/** Where the cards of an ask go: its route, laid over the channels that are set up. */
import type { AskRoute } from '@countersign/contracts';
import type { Channel } from '../channel.js';

export interface CardTarget {
  readonly channel: Channel;
  readonly target: string;
}

/** Each place once. A route that names a channel which is not set up leads nowhere there; the page shows the ask all the same. */
export function targetsOf(route: AskRoute, channels: readonly Channel[]): readonly CardTarget[] {
  const named = route.channels ?? channels.map(({ name }) => name);
  const places = named.flatMap((entry) => {
    const [name, target] = splitOnce(entry);
    const set = channels.filter((channel) => channel.name === name);
    return set.flatMap((channel) =>
      (target === null ? channel.targets : [target]).map((one) => ({ channel, target: one })),
    );
  });
  const seen = new Set<string>();
  return places.filter(({ channel, target }) => {
    const key = `${channel.name}:${target}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function splitOnce(entry: string): [string, string | null] {
  const colon = entry.indexOf(':');
  return colon === -1 ? [entry, null] : [entry.slice(0, colon), entry.slice(colon + 1)];
}
