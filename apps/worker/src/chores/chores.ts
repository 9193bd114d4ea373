/** When the owner's chores are done: soon after the start, then once an hour, whoever of the workers is first. */
import type { ChoresDone } from '@countersign/ledger';

/** Runs the chores once; null: another process is at it. */
export type RunChores = () => Promise<ChoresDone | null>;

const EVERY_MS = 60 * 60_000;

export interface ChoresDeps {
  readonly run: RunChores;
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
  /** Hears of a run that made or took something away. */
  readonly onDone: (done: ChoresDone) => void;
}

/** To be called every minute or so: does the chores when they are due. A run that throws is due again an hour later. */
export function createChores({ run, now, onDone }: ChoresDeps): () => Promise<void> {
  let dueAt = 0;
  return async () => {
    if (now() < dueAt) return;
    dueAt = now() + EVERY_MS;
    const done = await run();
    if (done !== null && didSomething(done)) onDone(done);
  };
}

function didSomething({ made, dropped, forgotten }: ChoresDone): boolean {
  return made.length > 0 || dropped.length > 0 || Object.values(forgotten).some((rows) => rows > 0);
}

/** One line for the log. */
export function choresLine({ made, dropped, forgotten }: ChoresDone): string {
  const rows = Object.entries(forgotten).filter(([, count]) => count > 0);
  const parts = [
    ...(made.length > 0 ? [`made ${made.join(', ')}`] : []),
    ...(dropped.length > 0 ? [`dropped ${dropped.join(', ')}`] : []),
    ...rows.map(([what, count]) => `forgot ${count} ${what}`),
  ];
  return `kept house: ${parts.join('; ')}`;
}
