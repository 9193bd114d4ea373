/** Gateway, worker and approver as processes of their own, over the ground that all benches stand on. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/build.mjs';
import { prepareGround } from '../calls/ground.mjs';
import { startProgram } from '../calls/programs.mjs';

const RUN_APP = join(ROOT, 'scripts/run-app.mjs');
const URL_PRINTED = /: (http:\/\/\S+)\s/;

/** `closing` gets what is to be undone. */
export async function openHouse(closing) {
  const ground = await prepareGround(closing);
  const env = { ...ground.env, APPROVER_PORT: '0' };
  const keys = JSON.parse(readFileSync(join(env.COUNTERSIGN_HOME, 'endpoints.json'), 'utf8'));
  const start = async (name, pattern) => {
    const program = await startProgram(name, [RUN_APP, name], { env, pattern });
    closing.push(() => program.stop());
    return program.found[1];
  };
  await start('worker', /worker: takes calls/);
  const gateway = await start('gateway', URL_PRINTED);
  const approver = await start('approver', URL_PRINTED);
  return { ...ground, keys, gateway, approver };
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

/** Of numbers, in the unit that they have. */
export function percentiles(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const at = (share) => Math.round((sorted[Math.ceil(share * sorted.length) - 1] ?? NaN) * 10) / 10;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
