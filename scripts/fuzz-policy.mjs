/**
 * `npm run fuzz:policy -- --minutes 10 --seed N`: generated and mutated scripts and calls against the laws of the engine. Prints the
 * seed, what was judged, the slowest judgement and the smallest input that breaks a law; ends with exit code 1 when one does.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { buildOrExit } from './build.mjs';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } },
});
const minutes = Number(values.minutes);
const seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);
if (!(minutes > 0) || !Number.isSafeInteger(seed)) {
  console.error('fuzz: --minutes takes a number above zero, --seed a whole number');
  process.exit(2);
}

await buildOrExit();
const { fuzz } = await import('../libs/policy/dist/fuzz/fuzz.js');

const start = performance.now();
const end = start + minutes * 60_000;
const PROGRESS_MS = 30_000;
let nextWord = start + PROGRESS_MS;

function goOn(rounds) {
  const now = performance.now();
  if (now >= nextWord) {
    nextWord = now + PROGRESS_MS;
    console.error(`${Math.round((now - start) / 1_000)} s: ${rounds} rounds`);
  }
  return now < end;
}

/** Time that this process itself was given. */
function processMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

console.log(`seed ${seed}, ${minutes} minutes`);
const report = fuzz({ seed, now: processMs, goOn });
const { rounds, judged, effects, worstMs, worstInput, failures } = report;
const { allow, ask, deny } = effects;
console.log(`${rounds} rounds, ${judged} judgements; of the calls ${allow} allowed, ${ask} asked, ${deny} denied`);
console.log(`slowest judgement ${worstMs.toFixed(2)} ms: ${JSON.stringify(worstInput)?.slice(0, 500)}`);
for (const failure of failures) console.log(`BROKEN ${JSON.stringify(failure)}`);
console.log(
  failures.length === 0 ? 'no law is broken' : `${failures.length} laws broken, the smallest input of each above`,
);
const seconds = Math.round((performance.now() - start) / 1_000);
console.log(
  JSON.stringify({ fuzz: 'policy', seed, seconds, load: loadavg()[0], ...report, failures: failures.length }),
);
process.exitCode = failures.length === 0 ? 0 : 1;
