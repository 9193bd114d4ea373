/**
 * `npm run bench:policy`: our engine, Cedar and a plain loop on equal rule sets, in one run. Prints a table in microseconds and, as
 * its last line, one line of JSON with every figure. `--quick` spends a tenth of the time, `--agree` measures nothing and only checks
 * that all judges give the same answers.
 */
import { cpus, loadavg } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { buildOrExit } from '../../scripts/build.mjs';
import { commandLine, readValues } from '../command-line.mjs';

// Node 20's compiler aborts the process when it drops code into which it had inlined a call of Cedar's WASM.
setFlagsFromString('--no-turbo-inline-js-wasm-calls');

const SIZES = [10, 100, 1_000];
const HELP = `npm run bench:policy -- [options]
  --quick  a tenth of the time
  --agree  only check that all judges give the same answers`;
const FLAGS = { quick: { type: 'boolean' }, agree: { type: 'boolean' } };
const { quick, agree: ONLY_AGREE = false } = commandLine(HELP, (args) => readValues(args, HELP, FLAGS));
const BUDGET_MS = quick ? 80 : 800;

await buildOrExit();
const { cedar, countersign, plainLoop } = await import('./judges.mjs');
const { checkAgreement, measure } = await import('./measure.mjs');
const { makeProbes } = await import('./probes.mjs');
const { makeRules } = await import('./rule-sets.mjs');

const COLUMNS = [
  ['rules', 5],
  ['call', 13],
  ['median', 9],
  ['p99', 9],
  ['cedar median', 13],
  ['p99', 11],
  ['loop median', 12],
  ['p99', 10],
  ['cedar ÷', 9],
  ['loop ÷', 8],
];

function line(cells) {
  return cells.map((cell, at) => String(cell).padStart(COLUMNS[at][1])).join(' ');
}

function rowOf(rules, probe, [ours, theirs, loop]) {
  return {
    rules,
    call: probe.name,
    countersign: figures(ours),
    cedar: figures(theirs),
    plainLoop: figures(loop),
    cedarRatio: ratio(theirs, ours),
    plainLoopRatio: ratio(loop, ours),
  };
}

function figures({ median, p99, samples }) {
  return { median, p99, samples };
}

function ratio(theirs, ours) {
  return Math.round((theirs.median / ours.median) * 100) / 100;
}

function printRow({ rules, call, countersign: ours, cedar: theirs, plainLoop: loop, ...ratios }) {
  const figuresOfAll = [ours, theirs, loop].flatMap(({ median, p99 }) => [median.toFixed(2), p99.toFixed(2)]);
  console.log(line([rules, call, ...figuresOfAll, ratios.cedarRatio.toFixed(1), ratios.plainLoopRatio.toFixed(2)]));
}

const loadBefore = loadavg()[0];
console.log(line(COLUMNS.map(([name]) => name)));
const rows = [];
let agreed = 0;
for (const size of SIZES) {
  const rules = makeRules(size);
  const judges = [countersign(rules), cedar(rules), plainLoop(rules)];
  const probes = makeProbes(rules);
  for (const probe of probes) agreed += checkAgreement(judges, probe);
  for (const probe of ONLY_AGREE ? [] : probes) {
    const row = rowOf(size, probe, measure(judges, probe, BUDGET_MS));
    rows.push(row);
    printRow(row);
  }
}
const machine = { node: process.version, cpus: cpus().length, loadBefore, loadAfter: loadavg()[0] };
console.log(`all three judges gave the same answer to ${agreed} calls; times in microseconds a call`);
console.log(JSON.stringify({ bench: 'policy', unit: 'us', machine, agreed, rows }));
