/** Gateway, worker and approver as processes of their own, over the ground that all benches stand on. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/build.mjs';
import { prepareGround } from '../calls/ground.mjs';
import { cpuOf, startProgram } from '../calls/programs.mjs';

const RUN_APP = join(ROOT, 'scripts/run-app.mjs');
const URL_PRINTED = /: (http:\/\/\S+)\s/;

/** Node's own arguments, as in the `start` scripts of package.json. */
const NODE = ['--max-semi-space-size=32'];

/** `closing` gets what is to be undone; `profile`: a folder for CPU profiles of our own processes, or null. */
export async function openHouse(closing, profile) {
  const profiling = profile === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const ground = await prepareGround(closing);
  const env = { ...ground.env, APPROVER_PORT: '0' };
  const keys = JSON.parse(readFileSync(join(env.COUNTERSIGN_HOME, 'endpoints.json'), 'utf8'));
  const cpu = { postgres: [ground.postmaster], redis: [ground.redis] };
  const start = async (name, pattern) => {
    const program = await startProgram(name, [...NODE, ...profiling, RUN_APP, name], { env, pattern });
    cpu[name] = [program.pid];
    closing.push(() => program.stop());
    return program.found[1];
  };
  await start('worker', /worker: takes calls/);
  const gateway = await start('gateway', URL_PRINTED);
  const approver = await start('approver', URL_PRINTED);
  return { ...ground, keys, gateway, approver, cpu };
}

/** One request with a key; throws for an answer that is no success. */
export async function send(url, key, body, method = body === undefined ? 'GET' : 'POST') {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** Runs `work` for every number below `count`, so many at one time; gives how long each took, in milliseconds. */
export async function timed(count, atOnce, work) {
  const took = [];
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const place = next;
      next += 1;
      const began = performance.now();
      await work(place);
      took.push(performance.now() - began);
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: atOnce }, lane));
  const seconds = (performance.now() - began) / 1_000;
  return { ...percentiles(took), perSecond: Math.round(count / seconds) };
}

/** As `timed`, and the CPU that each run cost in every process of the house, in microseconds. */
export async function measured(house, count, atOnce, work) {
  const before = Object.entries(house.cpu).map(([part, pids]) => [part, cpuOf(pids)]);
  const figures = await timed(count, atOnce, work);
  const cpuUs = before.map(([part, used]) => [part, Math.round(((cpuOf(house.cpu[part]) - used) / count) * 1e6)]);
  return { ...figures, cpuUs: Object.fromEntries(cpuUs) };
}

/** Of numbers, in the unit that they have. */
export function percentiles(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const at = (share) => Math.round((sorted[Math.ceil(share * sorted.length) - 1] ?? NaN) * 10) / 10;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
