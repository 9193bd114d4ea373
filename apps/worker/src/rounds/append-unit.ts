/** From a family's decisions to the unit that the ledger appends, and back to the heads that it made. */
import type { AppendUnit } from '@countersign/ledger';
import type { FamilyDraft } from './draft-family.js';
import { streamKey } from './keys.js';
import type { HeadCache, RoundMemory } from './round-view.js';
import type { StreamDraft } from './stream-draft.js';

/** True when there is something to store; a family whose calls all joined older ones has nothing. */
export function hasEvents(draft: FamilyDraft): boolean {
  return draft.streams.some((stream) => stream.events.length > 0);
}

/** INVARIANT: every stream that was read is checked, either by its expected number or as unmoved. */
export function toUnit(draft: FamilyDraft): AppendUnit {
  const written = draft.streams.filter((stream) => stream.events.length > 0);
  const read = draft.streams.filter((stream) => stream.events.length === 0);
  return {
    streams: written.map(toAppend),
    epochs: draft.epochs.map((epoch) => ({ tenantId: draft.tenantId, epoch })),
    unmoved: read.map(({ head }) => ({ tenantId: head.tenantId, streamId: head.streamId, seq: head.seq })),
    ...(draft.vault.length === 0 ? {} : { vault: draft.vault }),
  };
}

function toAppend({ head, events, state }: StreamDraft): AppendUnit['streams'][number] {
  const { tenantId, streamId, seq } = head;
  const opened = head.state === null && state !== null;
  const { parentId, rootId, keyId } = state ?? { parentId: null, rootId: streamId, keyId: '' };
  return { tenantId, streamId, expectedSeq: seq, events, state, ...(opened ? { parentId, rootId, keyId } : {}) };
}

/** After the commit: what the next round need not load. */
export function cacheHeads(draft: FamilyDraft, cache: HeadCache): void {
  for (const stream of draft.streams) {
    const { tenantId, streamId } = stream.head;
    const key = streamKey(tenantId, streamId);
    if (stream.state === null) cache.delete(key);
    else cache.set(key, { tenantId, streamId, seq: stream.seq, parentId: stream.parentId, state: stream.state });
  }
}

/** After a conflict: everything that the family was decided on is read again, and counts as written by others too. */
export function forgetHeads(draft: FamilyDraft, { cache, quiet }: Pick<RoundMemory, 'cache' | 'quiet'>): void {
  for (const { head } of draft.streams) {
    const key = streamKey(head.tenantId, head.streamId);
    cache.delete(key);
    quiet.moved(key);
  }
}
