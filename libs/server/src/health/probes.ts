/** What a server needs, asked at most once a second however often somebody looks: looking must not add to the load. */
import { endsWithin } from '../ends-within.js';

/** Resolves when the service answers; anything else counts as not ready. Throw NotReady to say why. */
export type Probe = () => Promise<unknown>;

/** A need that is not met; the message may be shown to anybody. */
export class NotReady extends Error {
  override readonly name = 'NotReady';
}

/** By name: `ok`, or why not. */
export type Needs = Readonly<Record<string, string>>;

export interface ProbeSet {
  ask(): Promise<Needs>;
}

const LIMIT_MS = 1_000;
const FRESH_MS = 1_000;
const NO_ANSWER = 'no answer';

/** `now`: milliseconds of a clock that only goes forward. */
export function createProbeSet(
  probes: Readonly<Record<string, Probe>>,
  now: () => number = () => performance.now(),
): ProbeSet {
  let latest: { at: number; needs: Promise<Needs> } | null = null;
  return {
    ask: () => {
      if (latest === null || now() - latest.at > FRESH_MS) latest = { at: now(), needs: askAll(probes) };
      return latest.needs;
    },
  };
}

/** True when every need is met. */
export function areMet(needs: Needs): boolean {
  return Object.values(needs).every((need) => need === 'ok');
}

async function askAll(probes: Readonly<Record<string, Probe>>): Promise<Needs> {
  const names = Object.keys(probes);
  const answers = await Promise.all(Object.values(probes).map((probe) => answerOf(probe)));
  return Object.fromEntries(names.map((name, index) => [name, answers[index] ?? NO_ANSWER]));
}

/** A probe that throws at once has failed like one that rejects. */
async function answerOf(probe: Probe): Promise<string> {
  let reason = NO_ANSWER;
  const asked = (async () => probe())().catch((error: unknown) => {
    if (error instanceof NotReady) reason = error.message;
    throw error;
  });
  return (await endsWithin(LIMIT_MS, asked)) ? 'ok' : reason;
}
