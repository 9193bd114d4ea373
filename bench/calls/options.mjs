/** The bench's command line: `--seconds N`, `--rounds N`, `--only NAMES`, `--workers N`, `--profile FOLDER`. */
import { positive, readValues, refusal } from '../command-line.mjs';

/** What is measured: connections at once, and whether all of them use one session. */
export const ROWS = [
  { name: '1', connections: 1, oneSession: false },
  { name: '32', connections: 32, oneSession: false },
  { name: '128', connections: 128, oneSession: false },
  { name: 'one-session', connections: 128, oneSession: true },
];
const PARTS = ['echo', 'countersign', 'obvious', 'embedded', ...ROWS.map((row) => row.name)];

export const HELP = `npm run bench:calls -- [options]
  --seconds N      measured seconds of one round (4)
  --rounds N       rounds of each build and row, in turn (2)
  --only A,B,…     only these builds and rows: ${PARTS.join(', ')}
  --workers N      workers of each build (1)
  --profile DIR    write CPU profiles of our processes there`;

/** Throws with the help text for what it does not know. `wants(name)`: is this build or row to be measured? */
export function readOptions(args) {
  const strings = ['seconds', 'rounds', 'only', 'workers', 'profile'].map((name) => [name, { type: 'string' }]);
  const values = readValues(args, HELP, Object.fromEntries(strings));
  const only = values.only?.split(',') ?? [];
  const unknown = only.find((name) => !PARTS.includes(name));
  if (unknown !== undefined) throw refusal(`unknown: ${unknown}`, HELP);
  const rows = ROWS.filter((row) => only.includes(row.name));
  const builds = only.filter((name) => ROWS.every((row) => row.name !== name));
  return {
    seconds: positive(values.seconds, 4, HELP),
    rounds: positive(values.rounds, 2, HELP),
    workers: positive(values.workers, 1, HELP),
    profile: values.profile ?? null,
    rows: rows.length > 0 ? rows : ROWS,
    wants: (build) => builds.length === 0 || builds.includes(build),
  };
}
