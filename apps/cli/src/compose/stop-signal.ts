/** Ctrl-C and its like: the first asks for an orderly end, a second one insists. */

/** Thrown where work is broken off because the end was asked for. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

export interface StopSignal {
  /** Resolves when the end is asked for, with null; with an error when one that nobody caught makes going on unsafe. */
  readonly requested: Promise<Error | null>;
  /** Asks for the end because of a failure that makes going on useless. */
  fail(error: Error): void;
  /** True once a person or the system asked for the end, and no failure did. */
  isWish(): boolean;
  /** Throws Stopped when the end was asked for, or the failure that asked for it. */
  check(): void;
  /** Stops listening. */
  release(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** npm passes a Ctrl-C on that the terminal has sent us already: two within this time are one. */
const ECHO_MS = 700;
const FORCED = 130;

export interface StopOptions {
  /** Ends at once what would outlive this process. */
  abort(): void;
  /** Our parent's end counts as a signal. A SIGTERM to npm ends the shell between npm and us, and does not reach us. */
  readonly watchParent: boolean;
}

const PARENT_MS = 200;

/** Listens from now on. A second signal calls `abort` and ends the process at once, with exit code 130. */
export function createStopSignal(options: StopOptions): StopSignal {
  let first: number | null = null;
  let failure: Error | null = null;
  let settle: (bug: Error | null) => void = () => undefined;
  const requested = new Promise<Error | null>((resolve) => (settle = resolve));
  const begin = (bug: Error | null = null) => {
    if (first === null) failure = bug;
    first ??= performance.now();
    settle(bug);
  };
  const onBug = (error: unknown) => begin(error instanceof Error ? error : new Error(String(error)));
  const onSignal = () => {
    if (first === null || performance.now() - first < ECHO_MS) return begin();
    process.stderr.write('stopped at once; the database recovers at the next start\n');
    options.abort();
    process.exit(FORCED);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  process.on('uncaughtException', onBug).on('unhandledRejection', onBug);
  const parentWatch = options.watchParent ? watchParent(() => begin()) : null;
  return {
    requested,
    fail: (error) => begin(error),
    isWish: () => first !== null && failure === null,
    check: () => {
      if (first !== null) throw failure ?? new Stopped('stopped while starting');
    },
    release: () => {
      if (parentWatch !== null) clearInterval(parentWatch);
      for (const signal of SIGNALS) process.off(signal, onSignal);
      process.off('uncaughtException', onBug).off('unhandledRejection', onBug);
    },
  };
}

function watchParent(onEnd: () => void): NodeJS.Timeout {
  const parent = process.ppid;
  return setInterval(() => {
    if (process.ppid !== parent) onEnd();
  }, PARENT_MS).unref();
}
