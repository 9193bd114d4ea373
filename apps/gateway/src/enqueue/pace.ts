/**
 * Holds a batch back while others are being judged. Every job costs the same whatever it holds, so under load few large ones are wanted;
 * but some, or the gateway, the worker and the database would wait for each other.
 */

export interface PaceOptions {
  /** Batches that may be on their way at once: one that is read or answered here, one that is judged, one that is stored. */
  readonly ahead: number;
  /** Longest wait after the last batch, for a worker that is slow, one of many, or gone; of slow workers twice the time of the last answer, if that is longer. */
  readonly holdMs: number;
  /** How long to wait, after an answer to many calls, for the next ones of those who got it. */
  readonly lingerMs: number;
  /** Milliseconds that never run backwards. */
  readonly now: () => number;
}

export interface Pace {
  /** Resolves when the next batch may leave. `gathered`: calls that wait now. Nobody is waited for at an idle gateway. */
  turn(gathered: () => number): Promise<void>;
  /** A batch of so many calls left as this job. */
  left(jobId: string, calls: number): void;
  /** Answers to so many calls of these jobs came, to all of them or the first: whoever waits may go. The rest of a job is stored then. */
  answered(jobIds: Iterable<string>, calls: number): void;
  /** More calls gathered: there may be enough now. */
  grew(): void;
  /** Ends a wait now, for a batch that is full. */
  hurry(): void;
}

/** Answers to fewer calls are no crowd that comes back together. */
const CROWD = 16;
/** However slow the worker is. */
const LONGEST_HOLDS = 10;

interface Batch {
  readonly calls: number;
  readonly leftAt: number;
}

interface State {
  /** Batches without an answer by job id, the oldest first. */
  readonly out: Map<string, Batch>;
  lastLeft: number;
  /** When the last answer came, to how many calls, and how long it took. */
  answeredAt: number;
  lastAnswered: number;
  answerMs: number;
}

export function createPace(options: PaceOptions): Pace {
  const { now } = options;
  const state: State = {
    out: new Map(),
    lastLeft: Number.NEGATIVE_INFINITY,
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
    },
    left: (jobId, calls) => {
      state.lastLeft = now();
      state.out.set(jobId, { calls, leftAt: state.lastLeft });
    },
    answered: (jobIds, calls) => {
      takeAnswer(state, { jobIds, calls }, now());
      look();
    },
    grew: () => look(),
    hurry: () => wake(),
  };
}

/** Milliseconds that a batch of so many calls is still to wait unless something happens. */
function waitLeft(state: State, gathered: number, { ahead, holdMs, lingerMs, now }: PaceOptions): number {
  const at = now();
  const longest = LONGEST_HOLDS * holdMs;
  forgetLost(state, at - Math.max(longest, 2 * state.answerMs));
  if (state.out.size === 0) {
    // Half of them: the others are then judged while these are answered.
    const awaited = state.lastAnswered < CROWD ? 0 : state.lastAnswered / 2;
    return gathered >= awaited ? 0 : state.answeredAt + lingerMs - at;
  }
  // Its share of all that are on their way: a crowd would go on in ever smaller groups otherwise.
  if (state.out.size < ahead && gathered * (ahead - 1) >= callsOf(state.out)) return 0;
  const hold = Math.max(holdMs, Math.min(2 * state.answerMs, longest));
  return state.lastLeft + hold - at;
}

/** Some answers never come, or came before it was known that their job had left. */
function forgetLost({ out }: State, before: number): void {
  for (const [jobId, { leftAt }] of out) {
    if (leftAt >= before) return;
    out.delete(jobId);
  }
}

function callsOf(out: ReadonlyMap<string, Batch>): number {
  let sum = 0;
  for (const { calls } of out.values()) sum += calls;
  return sum;
}

interface Answer {
  readonly jobIds: Iterable<string>;
  readonly calls: number;
}

function takeAnswer(state: State, { jobIds, calls }: Answer, at: number): void {
  for (const jobId of jobIds) {
    const batch = state.out.get(jobId);
    if (batch !== undefined) state.answerMs = at - batch.leftAt;
    state.out.delete(jobId);
  }
  state.answeredAt = at;
  state.lastAnswered = calls;
}
