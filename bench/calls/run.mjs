/**
 * `npm run bench:calls`: tool calls end to end, ours against the obvious build and a bare echo on the same Postgres and Redis, then the
 * embedded form. Prints a table and, as its last line, one line of JSON with every figure. Options: `options.mjs`.
 */
import { cpus, loadavg } from 'node:os';
import { buildOrExit } from '../../scripts/build.mjs';
import { commandLine } from '../command-line.mjs';
import { HELP, readOptions } from './options.mjs';

const say = (line) => process.stderr.write(`${line}\n`);
const options = commandLine(HELP, readOptions);
await buildOrExit();
const { startCountersign, startEcho, startEmbedded, startObvious } = await import('./builds.mjs');
const { inDatabase, prepareGround } = await import('./ground.mjs');
const { startLoad } = await import('./programs.mjs');
const { measureBuilds } = await import('./rounds.mjs');

/** What is to be undone, newest first. */
const closing = [];
async function closeAll() {
  for (const close of closing.splice(0).reverse()) await close();
}
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void closeAll().finally(() => process.exit(130)));

async function open(starting) {
  const build = await starting;
  closing.push(() => build.stop());
  return build;
}

/** Every answer must stand in the database: otherwise the build is fast because it forgets. */
async function checkStored(ground, build) {
  if (build.stored === undefined) return;
  const [{ n }] = await inDatabase(ground.ownerUrl, async (client) => (await client.query(build.stored)).rows);
  if (n !== build.answered) throw new Error(`${build.name}: ${build.answered} answers, ${n} stored decisions`);
}

/** Two builds and the echo on one ground. */
async function measureApart(load) {
  say('starting Postgres, Redis and the builds …');
  const ground = await prepareGround(closing);
  const builds = [];
  if (options.wants('countersign')) builds.push(await open(startCountersign(ground, options)));
  if (options.wants('obvious')) builds.push(await open(startObvious(ground, options)));
  if (options.wants('echo')) builds.push(await open(startEcho()));
  const shared = ({ name }) => (name === 'echo' ? {} : { postgres: [ground.postmaster], redis: [ground.redis] });
  const rows = await measureBuilds({ load, options, say, shared }, builds);
  for (const build of builds) await checkStored(ground, build);
  return rows;
}

async function measureEmbedded(load) {
  say('starting `countersign up` …');
  const build = await open(startEmbedded(options));
  return measureBuilds({ load, options, say, shared: () => ({}) }, [build]);
}

function printTable(rows) {
  const line = (cells) =>
    console.log(cells.map((cell, at) => String(cell).padStart([12, 12, 9, 9, 9][at] ?? 0)).join(' '));
  line(['build', 'connections', 'calls/s', 'p50 ms', 'p99 ms', '  CPU µs a call']);
  for (const { build, row, rate, p50, p99, cpuUs } of rows) {
    const cpu = Object.entries(cpuUs).map(([part, us]) => `${part} ${us}`);
    line([build, row, rate, p50.toFixed(2), p99.toFixed(2), `  ${cpu.join(', ')}`]);
  }
}

/** Ours by the other's; null when one of them was not measured. */
function ratioOf(rows, row, figure, other = 'obvious') {
  const of = (build) => rows.find((one) => one.build === build && one.row === row)?.[figure];
  const [ours, theirs] = [of('countersign'), of(other)];
  return ours === undefined || theirs === undefined ? null : Math.round((ours / theirs) * 1_000) / 1_000;
}

try {
  const loadBefore = loadavg()[0];
  const load = startLoad();
  closing.push(() => load.stop());
  const apart = ['countersign', 'obvious', 'echo'].some(options.wants) ? await measureApart(load) : [];
  const embedded = options.wants('embedded') ? await measureEmbedded(load) : [];
  await closeAll();
  const rows = [...apart, ...embedded];
  printTable(rows);
  const ratios = {
    ratio128: ratioOf(rows, '128', 'rate'),
    p50ratio128: ratioOf(rows, '128', 'p50'),
    ratioOneSession: ratioOf(rows, 'one-session', 'rate'),
    p50ratio1: ratioOf(rows, '1', 'p50'),
    ratio32: ratioOf(rows, '32', 'rate'),
    echoRatio128: ratioOf(rows, '128', 'rate', 'echo'),
  };
  const machine = { node: process.version, cpus: cpus().length, loadBefore, loadAfter: loadavg()[0] };
  const { seconds, rounds, workers } = options;
  console.log(JSON.stringify({ bench: 'calls', ...ratios, machine, seconds, rounds, workers, rows }));
} catch (error) {
  await closeAll();
  console.error(error);
  process.exitCode = 1;
}
