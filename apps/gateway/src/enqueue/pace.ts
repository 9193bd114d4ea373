/**
 * Holds a batch back while others are being judged. A worker has one append in flight and takes what came meanwhile together, so a job
 * that reaches it earlier is decided no earlier: sent one by one, calls would only cost a job each.
 */

export interface PaceOptions {
  /** Batches that may leave without an answer in between: one that is judged, one that waits at the worker. */
  readonly ahead: number;
  /** Longest wait after the last batch, for a worker that is slow, one of many, or gone; of slow workers twice the time of the last answer, if that is longer. */
  readonly holdMs: number;
  /** How long to wait, after an answer to many calls, for the next ones of those who got it. */
  readonly lingerMs: number;
  /** Milliseconds that never run backwards. */
  readonly now: () => number;
}

export interface Pace {
  /** Resolves when the next batch may leave, and counts it. `gathered`: calls that wait now. Nobody is waited for at an idle gateway. */
  turn(gathered: () => number): Promise<void>;
  /** Answers to so many calls came: whoever waits may go. */
  answered(calls: number): void;
  /** More calls gathered: there may be enough now. */
  grew(): void;
  /** Ends a wait now, for a batch that is full. */
  hurry(): void;
}

/** Answers to fewer calls are no crowd that comes back together. */
const CROWD = 16;
/** However slow the worker is. */
const LONGEST_HOLDS = 10;

interface State {
  unanswered: number;
  /** When the last batch left, and how many calls were in it. */
  lastLeft: number;
  lastSize: number;
  /** When the oldest unanswered batch left. */
  firstLeft: number;
  /** When the last answer came, to how many calls, and how long it took. */
  answeredAt: number;
  lastAnswered: number;
  answerMs: number;
}

export function createPace(options: PaceOptions): Pace {
  const { now } = options;
  const state: State = {
    unanswered: 0,
    lastLeft: Number.NEGATIVE_INFINITY,
    lastSize: 0,
    firstLeft: 0,
    answeredAt: Number.NEGATIVE_INFINITY,
    lastAnswered: 0,
    answerMs: 0,
  };
  let look = (): void => undefined;
  let wake = (): void => undefined;

  /** Waits until nothing is left to wait for. */
  function held(gathered: () => number): Promise<void> {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      wake = () => {
        clearTimeout(timer);
        [look, wake] = [() => undefined, () => undefined];
        resolve();
      };
      look = () => {
        clearTimeout(timer);
        const left = waitLeft(state, gathered(), options);
        if (left <= 0) wake();
        else timer = setTimeout(look, left);
      };
      look();
    });
  }

  return {
    turn: async (gathered) => {
      if (waitLeft(state, gathered(), options) > 0) await held(gathered);
      leave(state, gathered(), now());
    },
    answered: (calls) => {
      takeAnswer(state, calls, now());
      look();
    },
    grew: () => look(),
    hurry: () => wake(),
  };
}

/** Milliseconds that a batch of so many calls is still to wait unless something happens. */
function waitLeft(state: State, gathered: number, { ahead, holdMs, lingerMs, now }: PaceOptions): number {
  if (state.unanswered === 0) {
    // Half of them: the others are then judged while these are answered.
    const awaited = state.lastAnswered < CROWD ? 0 : state.lastAnswered / 2;
    return gathered >= awaited ? 0 : state.answeredAt + lingerMs - now();
  }
  // As many as the last, and of a crowd twice as many: otherwise it would go on in ever smaller groups.
  const enough = state.lastSize < CROWD ? state.lastSize : 2 * state.lastSize;
  if (state.unanswered < ahead && gathered >= enough) return 0;
  const hold = Math.max(holdMs, Math.min(2 * state.answerMs, LONGEST_HOLDS * holdMs));
  return state.lastLeft + hold - now();
}

function leave(state: State, calls: number, at: number): void {
  if (state.unanswered === 0) state.firstLeft = at;
  state.unanswered += 1;
  state.lastLeft = at;
  state.lastSize = calls;
}

function takeAnswer(state: State, calls: number, at: number): void {
  if (state.unanswered > 0) state.answerMs = at - state.firstLeft;
  state.unanswered = 0;
  state.answeredAt = at;
  state.lastAnswered = calls;
}
