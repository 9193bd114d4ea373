/** Measures judges call by call: warm-up, rounds in turn so that a change of the machine's load meets all alike, median and p99. */

const BATCH = 64;
const ROUNDS = 3;
const FEWEST_SAMPLES = 12;

/**
 * Gives `{name, median, p99, samples}` for each judge, in microseconds a call. `budgetMs` is the time for one judge and probe, warm-up
 * included; no fewer than 12 calls are measured whatever they cost.
 */
export function measure(judges, probe, budgetMs) {
  const runs = judges.map((judge) => ({ judge, times: [], next: 1_000 }));
  for (const run of runs) spend(run, probe, { ms: budgetMs / 4, keep: false });
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const run of runs) spend(run, probe, { ms: budgetMs / 4, keep: true });
  }
  return runs.map(({ judge, times }) => ({ name: judge.name, ...summary(times) }));
}

function spend(run, probe, { ms, keep }) {
  const end = performance.now() + ms;
  const fewest = run.times.length + FEWEST_SAMPLES / ROUNDS;
  do {
    const times = timeBatch(run, probe, end, keep ? FEWEST_SAMPLES / ROUNDS : 1);
    if (keep) run.times.push(...times);
  } while (performance.now() < end || (keep && run.times.length < fewest));
}

/** Prepares a batch of calls that nobody has seen, then times each. */
function timeBatch(run, probe, end, fewest) {
  const { variants } = probe;
  const calls = Array.from({ length: BATCH }, () => {
    run.next += 1;
    return run.judge.prepare(variants[run.next % variants.length].make(run.next));
  });
  const times = [];
  for (const call of calls) {
    const start = process.hrtime.bigint();
    run.judge.judge(call);
    times.push(Number(process.hrtime.bigint() - start) / 1_000);
    if (times.length >= fewest && performance.now() > end) break;
  }
  return times;
}

function summary(times) {
  const sorted = Float64Array.from(times).sort();
  const at = (share) => round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]);
  return { median: at(0.5), p99: at(0.99), samples: sorted.length };
}

function round(value) {
  return Math.round(value * 100) / 100;
}

/** How many calls all judges agreed on; throws at the first that they do not, since their times would say nothing. */
export function checkAgreement(judges, probe) {
  let checked = 0;
  for (const [at, { expected, make }] of probe.variants.entries()) {
    for (const n of [at, at + 500]) {
      const answers = judges.map((judge) => judge.judge(judge.prepare(make(n))));
      if (answers.some((answer) => answer !== expected)) {
        const told = judges.map((judge, place) => `${judge.name} ${answers[place]}`).join(', ');
        throw new Error(`${probe.name}: expected ${expected}, got ${told}: ${JSON.stringify(make(n)).slice(0, 300)}`);
      }
      checked += 1;
    }
  }
  return checked;
}
