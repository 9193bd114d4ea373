/** Measures builds row by row, in turn and again, so that whatever else the machine does meets all of them alike. */
import { randomUUID } from 'node:crypto';
import { cpuOf } from './programs.mjs';

/** Before a round counts: connections open, sessions begin. A share of its seconds. */
const SETTLE = 0.15;
const WARM_UP = { name: 'warm-up', connections: 128, oneSession: false };
/** Until what is hot is compiled: thousands of calls of each build. */
const WARM_SECONDS = 6;

const round = (value, digits = 2) => Math.round(value * 10 ** digits) / 10 ** digits;
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
const sum = (values) => values.reduce((total, one) => total + one, 0);

async function measureRound(bench, build, row, seconds) {
  const sessions = Array.from({ length: row.oneSession ? 1 : row.connections }, () => `s-${randomUUID()}`);
  const parts = { ...build.cpu, ...bench.shared(build), load: [bench.load.pid] };
  const label = `${build.name} ${row.name}`;
  const { connections } = row;
  const { url, key, expected } = build;
  const before = Object.entries(parts).map(([part, pids]) => [part, cpuOf(pids)]);
  const started = performance.now();
  const run = { label, url, key, expected, connections, sessions, settle: seconds * SETTLE, seconds };
  const result = await bench.load.run(run);
  const wall = (performance.now() - started) / 1_000;
  const cpu = Object.fromEntries(before.map(([part, used]) => [part, cpuOf(parts[part]) - used]));
  build.answered = (build.answered ?? 0) + result.answered;
  if (result.bad > 0) throw new Error(`${label}: ${result.bad} answers are not as expected: ${result.firstBad}`);
  return { rate: result.counted / seconds, answered: result.answered, cpu, wall };
}

/** Every build in turn, `rounds` times. Gives one row of figures per build. */
async function measureRow(bench, builds, row) {
  const rounds = new Map(builds.map((build) => [build.name, []]));
  for (let n = 0; n < bench.options.rounds; n += 1) {
    // The order turns with every round: who comes second finds a warmer machine.
    const order = n % 2 === 0 ? builds : [...builds].reverse();
    for (const build of order) {
      const measured = await measureRound(bench, build, row, bench.options.seconds);
      rounds.get(build.name).push(measured);
      bench.say(`  ${build.name.padEnd(12)} ${row.name.padStart(12)}  ${Math.round(measured.rate)} calls/s`);
    }
  }
  return Promise.all(builds.map((build) => figuresOf(bench, build, row, rounds.get(build.name))));
}

async function figuresOf(bench, build, row, rounds) {
  const { p50, p99, counted } = await bench.load.summary(`${build.name} ${row.name}`);
  const answered = sum(rounds.map((one) => one.answered));
  const cpuUs = Object.fromEntries(
    Object.keys(rounds[0].cpu).map((part) => [
      part,
      round((sum(rounds.map((one) => one.cpu[part])) / answered) * 1e6, 1),
    ]),
  );
  const rates = rounds.map((one) => Math.round(one.rate));
  const busy = sum(rounds.map((one) => one.cpu.load)) / sum(rounds.map((one) => one.wall));
  return {
    build: build.name,
    row: row.name,
    rate: median(rates),
    rates,
    p50: round(p50, 3),
    p99: round(p99, 3),
    calls: counted,
    /** Microseconds of CPU a call, by process. */
    cpuUs,
    /** Share of one core that the load generator used. */
    loadBusy: round(busy),
  };
}

/** `bench`: load, options, say, shared (pids that builds share, by part). Warm-up first. */
export async function measureBuilds(bench, builds) {
  for (const build of builds) await measureRound(bench, build, WARM_UP, Math.max(WARM_SECONDS, bench.options.seconds));
  const rows = [];
  for (const row of bench.options.rows) rows.push(...(await measureRow(bench, builds, row)));
  return rows;
}
