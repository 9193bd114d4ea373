/** Which hooks hear of a call or a note. */
import type { HookMoment } from '@countersign/contracts';
import { MEMBERS } from './plugin.js';
import type { RegisteredHook } from './spec.js';

/** Where something happens. `tool` null: it is about no tool. */
export interface HookPlace {
  readonly policy: string;
  readonly tool: string | null;
}

/** Those that hear of this moment here, in the order of registration. */
export function hooksFor(hooks: readonly RegisteredHook[], moment: HookMoment, place: HookPlace): RegisteredHook[] {
  return hooks.filter((hook) => hears(hook, moment) && isAt(hook, place));
}

/** Does it hear of this moment anywhere? */
export function hears(hook: RegisteredHook, moment: HookMoment): boolean {
  return hook.kind === 'http' ? hook.http.on.includes(moment) : hook.plugin[MEMBERS[moment]] !== undefined;
}

function isAt({ terms: { tools, policies } }: RegisteredHook, { policy, tool }: HookPlace): boolean {
  if (policies !== null && !policies.some((pattern) => fits(pattern, policy))) return false;
  return tools === null || tool === null || tools.some((pattern) => fits(pattern, tool));
}

/** `*` stands for any text; everything else for itself. Linear in both. */
export function fits(pattern: string, text: string): boolean {
  const pieces = pattern.split('*');
  const first = pieces.shift() ?? '';
  const last = pieces.pop();
  if (last === undefined) return first === text;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const piece of pieces) {
    const found = text.indexOf(piece, at);
    if (found < 0 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}
