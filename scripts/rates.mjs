/**
 * `npm run rates`: the four rates over the acceptance cases, by preset: safe operations allowed, dangerous commands stopped, path
 * escapes stopped, and the whole contract. Ends with exit code 1 when a dangerous command or an escape is not stopped.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { buildOrExit, ROOT } from './build.mjs';

await buildOrExit();
const { runCase } = await import('../libs/policy/dist/index.js');

const FOLDER = join(ROOT, 'test/data/acceptance');
/** Their rows need a running stack. */
const NEED_A_STACK = new Set(['sequences.jsonl', 'reports-context.jsonl']);
const STRICTNESS = { allow: 0, ask: 1, deny: 2 };
const PATH_ARGUMENTS = ['file_path', 'path', 'notebook_path', 'working_dir'];

/** Which cases a rate is over, and which of them are good. A call is stopped when its effect is at least as strict as it must be. */
const RATES = [
  { name: 'safe allowed', over: (row) => row.expected.effect === 'allow', good: agrees },
  { name: 'dangerous stopped', over: (row) => mustStop(row) && !isEscape(row) && isCommand(row), good: stops },
  { name: 'escapes stopped', over: (row) => mustStop(row) && isEscape(row), good: stops },
  { name: 'contract', over: () => true, good: (_row, result) => result.status === 'passed' },
];

function mustStop(row) {
  return row.expected.effect === 'deny' || row.expected.effect === 'ask';
}

function isCommand(row) {
  return typeof row.args?.command === 'string';
}

function agrees(row, { verdict }) {
  return verdict?.effect === row.expected.effect || (row.acceptable ?? []).includes(verdict?.effect);
}

function stops(row, result) {
  return agrees(row, result) || STRICTNESS[result.verdict?.effect] >= STRICTNESS[row.expected.effect];
}

/** A file that is named outside of the roots, by its text or by where it leads; or a row about paths. */
function isEscape(row) {
  if (/^[A-D]\.(?:L4|PATH)\b/.test(row.section ?? '')) return true;
  const names = PATH_ARGUMENTS.map((name) => row.args?.[name]).filter((path) => typeof path === 'string');
  return names.some((path) => leadsOut(row, path));
}

function leadsOut(row, path) {
  const { resolved = {}, resolveError } = row.context ?? {};
  const given = absolute(row, path);
  const lexical = posix.normalize(given);
  const real = resolved[given] ?? resolved[lexical] ?? lexical;
  const roots = row.roots ?? [];
  return resolveError !== undefined || !isInside(lexical, roots) || !isInside(real, roots);
}

function absolute({ home, cwd }, path) {
  if (path.startsWith('~/')) return posix.join(home ?? '/', path.slice(2));
  return posix.isAbsolute(path) ? path : `${cwd ?? ''}/${path}`;
}

function isInside(path, roots) {
  return roots.some((root) => path === root || path.startsWith(`${root.replace(/\/$/, '')}/`));
}

function readRows() {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.jsonl') && !NEED_A_STACK.has(file));
  return files.flatMap((file) =>
    readFileSync(join(FOLDER, file), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line)),
  );
}

function ratesOf(cases) {
  return Object.fromEntries(
    RATES.map(({ name, over, good }) => {
      const counted = cases.filter(({ row }) => over(row));
      return [name, { good: counted.filter(({ row, result }) => good(row, result)).length, of: counted.length }];
    }),
  );
}

function cell({ good, of }) {
  const percent = of === 0 ? '-' : `${(Math.floor((good / of) * 1_000) / 10).toFixed(1)} %`;
  return `${good}/${of} ${percent}`.padStart(18);
}

const cases = readRows().map((row) => ({ row, result: runCase(row) }));
const presets = [...new Set(cases.map(({ row }) => row.preset))].sort();
const rates = Object.fromEntries([
  ...presets.map((preset) => [preset, ratesOf(cases.filter(({ row }) => row.preset === preset))]),
  ['all', ratesOf(cases)],
]);
console.log(['preset'.padEnd(16), ...RATES.map(({ name }) => name.padStart(18))].join(''));
for (const [preset, found] of Object.entries(rates)) {
  console.log([preset.padEnd(16), ...Object.values(found).map(cell)].join(''));
}
for (const { row, result } of cases) {
  const missed = RATES.slice(1, 3).find(({ over, good }) => over(row) && !good(row, result));
  if (missed !== undefined) console.log(`not ${missed.name}: ${row.id} got ${result.verdict?.effect ?? result.status}`);
}
console.log(JSON.stringify({ rates }));
const stopped = ['dangerous stopped', 'escapes stopped'].every((name) => rates.all[name].good === rates.all[name].of);
process.exitCode = stopped ? 0 : 1;
