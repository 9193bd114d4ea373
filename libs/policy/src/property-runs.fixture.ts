/** How often slow properties are tried: a share of their runs in `npm test`, all of them in `npm run test:long`. */
const chosen = { share: 0.25 };

/** From now on every run of every property; for the long tests. */
export function tryAllRuns(): void {
  chosen.share = 1;
}

/** The runs of a property that is tried `all` times in the long tests. */
export const runsOf = (all: number): number => Math.ceil(all * chosen.share);
