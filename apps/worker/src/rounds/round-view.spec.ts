import { expect, it } from '@jest/globals';
import type { ToolCall } from '@countersign/contracts';
import { BoundedMap } from './bounded-map.js';
import { streamKey } from './keys.js';
import { lineOf } from './round-view.js';
import type { StoredHead } from './stream-draft.js';

it('a call may write its session, those that it names above it, and those that the worker remembers above it', () => {
  const cache = new BoundedMap<string, StoredHead>(10);
  const parents = { own: 'middle', middle: 'root', root: null };
  for (const [streamId, parentId] of Object.entries(parents)) {
    cache.set(streamKey('t', streamId), { tenantId: 't', streamId, seq: 1, parentId, state: null });
  }
  const call = (sessionId: string, parentId: string | null, ancestors: string[] = []): ToolCall =>
    ({
      ...{ tenantId: 't', sessionId, opening: { parentId } },
      ancestors: ancestors.map((id) => ({ sessionId: id })),
    }) as unknown as ToolCall;
  expect([...lineOf(call('own', null), cache)]).toEqual(['own', 'middle', 'root']);
  expect([...lineOf(call('new', 'middle', ['middle', 'root']), cache)]).toEqual(['new', 'middle', 'root']);
  expect([...lineOf(call('root', null), cache)]).toEqual(['root']);
});
