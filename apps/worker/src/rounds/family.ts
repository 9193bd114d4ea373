/** Sessions that hang together: a root with the sessions below it. A round appends each family as one unit. */
import type { ToolCall } from '@countersign/contracts';
import { streamKey } from './keys.js';
import type { RoundItem } from './round-item.js';
import { MAX_ANCESTORS, type RoundView } from './round-view.js';

/**
 * Groups calls by the root of their session, in order of arrival. INVARIANT: a session and its ancestors are always in one
 * group, so a parent that moves in the same round is seen by its children.
 */
export function groupByFamily(items: readonly RoundItem[], view: RoundView): RoundItem[][] {
  const groups = new Map<string, RoundItem[]>();
  for (const item of items) {
    const key = streamKey(item.call.tenantId, rootOf(item.call, view));
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups.values()];
}

function rootOf(call: ToolCall, view: RoundView): string {
  return sessionLine(call, parentInView(call.tenantId, view))[0] ?? call.sessionId;
}

/** The parent of a session that exists (null: it is a root); undefined for a session that does not exist. */
export type ParentOf = (sessionId: string) => string | null | undefined;

/** Parents as they were stored when the round began. */
export function parentInView(tenantId: string, view: RoundView): ParentOf {
  return (sessionId) => {
    const head = view.heads.get(streamKey(tenantId, sessionId));
    return head === undefined || head.state === null ? undefined : head.parentId;
  };
}

/**
 * Session ids from the root down to the call's own. A session that exists keeps the parents that it has; an unknown one is
 * given the parents that its call names, and theirs.
 */
export function sessionLine(call: ToolCall, parentOf: ParentOf): string[] {
  if (parentOf(call.sessionId) === null) return [call.sessionId];
  const named = new Map<string, string | null>([[call.sessionId, call.opening.parentId]]);
  for (const { sessionId, opening } of call.ancestors) named.set(sessionId, opening.parentId);
  const line = [call.sessionId];
  let current = call.sessionId;
  for (let depth = 0; depth < MAX_ANCESTORS; depth += 1) {
    const known = parentOf(current);
    const parent = known === undefined ? (named.get(current) ?? null) : known;
    if (parent === null || line.includes(parent)) break;
    line.unshift(parent);
    current = parent;
  }
  return line;
}
