/** Starts the programs of the bench, tells what CPU they used, and leaves none of them behind. */
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Only what a program needs of our own environment. */
export const CLEAN_ENVIRONMENT = { PATH: process.env.PATH, HOME: process.env.HOME };
const START_MS = 120_000;
/** The last of what a program prints, for when it does not start. */
const MAX_OUTPUT = 20_000;
/** Ticks of /proc in a second. */
const TICKS = 100;

/** Starts a program and resolves when it has printed `pattern`, with what that found. */
export async function startProgram(name, args, { env, pattern }) {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-MAX_OUTPUT);
    });
  }
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const stop = async () => {
    process.off('exit', kill);
    if (hasEnded(child)) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  const found = await printed(pattern, { name, child, output: () => output });
  return { pid: child.pid, found, stop };
}

const hasEnded = (child) => child.exitCode !== null || child.signalCode !== null;

async function printed(pattern, { name, child, output }) {
  const giveUp = Date.now() + START_MS;
  for (;;) {
    const found = pattern.exec(output());
    if (found) return found;
    if (hasEnded(child) || Date.now() > giveUp) throw new Error(`${name} did not start:\n${output()}`);
    await pause(10);
  }
}

/** The load generator: `run` and `summary` are asked by message. */
export function startLoad() {
  const child = fork(new URL('./load.mjs', import.meta.url), { env: CLEAN_ENVIRONMENT });
  const waiting = new Map();
  let last = 0;
  child.on('message', ({ id, result, error }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) resolve(result);
    else reject(new Error(`load generator: ${error}`));
  });
  const ask = (question) =>
    new Promise((resolve, reject) => {
      waiting.set((last += 1), { resolve, reject });
      child.send({ id: last, ...question });
    });
  return {
    pid: child.pid,
    run: (run) => ask({ run }),
    summary: (label) => ask({ summary: label }),
    stop: () => child.disconnect(),
  };
}

/** CPU seconds that a process and all below it have used; 0 where /proc does not tell. */
export function cpuOf(pids) {
  const stats = new Map();
  for (const entry of readProcesses()) stats.set(entry.pid, entry);
  const belongs = (entry) => {
    for (let at = entry, depth = 0; at && depth < 20; at = stats.get(at.parent), depth += 1) {
      if (pids.includes(at.pid)) return true;
    }
    return false;
  };
  let ticks = 0;
  for (const entry of stats.values()) if (belongs(entry)) ticks += entry.ticks;
  return ticks / TICKS;
}

function readProcesses() {
  const entries = [];
  for (const name of listProc()) {
    try {
      // The name in brackets may hold anything; what follows the last bracket is numbers.
      const fields = readFileSync(`/proc/${name}/stat`, 'latin1')
        .replace(/^.*\) /s, '')
        .split(' ');
      const [parent, ...ticks] = [fields[1], fields[11], fields[12], fields[13], fields[14]].map(Number);
      entries.push({ pid: Number(name), parent, ticks: ticks.reduce((sum, one) => sum + one, 0) });
    } catch {
      // It has just ended.
    }
  }
  return entries;
}

function listProc() {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
