/** What a person at the terminal sees and does, as a pure step: state and event in, state and effects out. */
import type { AskView } from '@countersign/contracts';

/** `current`: the ask whose card stands on the screen; `armed`: the answer that waits for `y`. */
export interface Desk {
  readonly open: ReadonlyMap<string, AskView>;
  readonly current: string | null;
  readonly armed: 'approve' | 'reject' | null;
}

export const EMPTY_DESK: Desk = { open: new Map(), current: null, armed: null };

export type DeskEvent =
  | { readonly type: 'opened'; readonly ask: AskView }
  | { readonly type: 'closed'; readonly id: string }
  | { readonly type: 'key'; readonly key: string };

export type DeskEffect =
  | { readonly type: 'show'; readonly ask: AskView }
  | { readonly type: 'confirm'; readonly ask: AskView; readonly answer: 'approve' | 'reject' }
  | { readonly type: 'answer'; readonly ask: AskView; readonly answer: 'approve' | 'reject' }
  | { readonly type: 'say'; readonly text: string }
  | { readonly type: 'quit' };

export interface Step {
  readonly desk: Desk;
  readonly effects: readonly DeskEffect[];
}

/**
 * INVARIANT: a key acts on the ask that stands on the screen. When that one ends, another is shown, but no key that was pressed
 * for the first answers the second: an answer needs its letter and then `y`, and what was armed is put down.
 */
export function step(desk: Desk, event: DeskEvent): Step {
  switch (event.type) {
    case 'opened': {
      const open = new Map(desk.open).set(event.ask.id, event.ask);
      const next = { ...desk, open };
      return desk.current === null ? showNext(next) : { desk: next, effects: [] };
    }
    case 'closed': {
      const open = new Map(desk.open);
      open.delete(event.id);
      return desk.current === event.id
        ? showNext({ open, current: null, armed: null })
        : { desk: { ...desk, open }, effects: [] };
    }
    case 'key':
      return press(desk, event.key);
    default: {
      const never: never = event;
      return { desk, effects: [never] };
    }
  }
}

/** The one after the current in order of opening, or the first. */
function showNext(desk: Desk): Step {
  const ids = [...desk.open.keys()];
  const at = desk.current === null ? -1 : ids.indexOf(desk.current);
  const id = ids[(at + 1) % Math.max(1, ids.length)];
  const ask = id === undefined ? undefined : desk.open.get(id);
  if (ask === undefined) {
    return {
      desk: { ...desk, current: null, armed: null },
      effects: [{ type: 'say', text: 'nobody is asked anything' }],
    };
  }
  return { desk: { ...desk, current: ask.id, armed: null }, effects: [{ type: 'show', ask }] };
}

const ANSWERS: Readonly<Record<string, 'approve' | 'reject'>> = { a: 'approve', r: 'reject' };

function press(desk: Desk, key: string): Step {
  if (key === 'q' || key === '\u0003') return { desk, effects: [{ type: 'quit' }] };
  const ask = desk.current === null ? undefined : desk.open.get(desk.current);
  if (ask === undefined) return { desk, effects: [] };
  if (desk.armed !== null) {
    const effects: DeskEffect[] =
      key === 'y' ? [{ type: 'answer', ask, answer: desk.armed }] : [{ type: 'say', text: 'not answered' }];
    return { desk: { ...desk, armed: null }, effects };
  }
  if (key === 'n') return showNext(desk);
  const answer = ANSWERS[key];
  if (answer === undefined) return { desk, effects: [] };
  return { desk: { ...desk, armed: answer }, effects: [{ type: 'confirm', ask, answer }] };
}
