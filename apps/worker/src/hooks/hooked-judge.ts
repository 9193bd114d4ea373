/** A judge whose calls meet their hooks first. A slow hook holds up its own call and later ones of the same session, nobody else. */
import type { Judge } from '../rounds/judge.js';
import { streamKey } from '../rounds/keys.js';
import type { RoundItem } from '../rounds/round-item.js';
import type { CallHooks } from './call-hooks.js';

export function hookedJudge(inner: Judge, calls: CallHooks): Judge {
  const judge = async (items: readonly RoundItem[], pass: Judge['judge']): Promise<void> => {
    const { plain, groups } = split(items, calls);
    const waiting = groups.map(async (group) => pass(await hookedGroup(group, calls)));
    if (plain.length > 0) waiting.push(pass(plain));
    // Whatever fails, every part has ended before the job is tried again.
    const failed = (await Promise.allSettled(waiting)).find((part) => part.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  };
  return {
    judge: (items) => judge(items, (ready) => inner.judge(ready)),
    judgeAlone: (items) => judge(items, (ready) => inner.judgeAlone(ready)),
    idle: () => inner.idle(),
  };
}

/** Calls of one session keep their order, so a session with one hooked call waits as a whole. */
function split(items: readonly RoundItem[], calls: CallHooks) {
  const hooked = new Set(items.filter((item) => calls.hasHooks(item)).map(sessionOf));
  const groups = new Map<string, RoundItem[]>();
  for (const item of items) {
    const session = sessionOf(item);
    if (hooked.has(session)) groups.set(session, [...(groups.get(session) ?? []), item]);
  }
  return { plain: items.filter((item) => !hooked.has(sessionOf(item))), groups: [...groups.values()] };
}

async function hookedGroup(group: readonly RoundItem[], calls: CallHooks): Promise<RoundItem[]> {
  const wanted = group.filter((item) => calls.hasHooks(item));
  const done = await calls.hooked(wanted);
  const byItem = new Map(wanted.map((item, index) => [item, done[index] ?? item]));
  return group.map((item) => byItem.get(item) ?? item);
}

function sessionOf({ call }: RoundItem): string {
  return streamKey(call.tenantId, call.sessionId);
}
