/** The builds that are compared, each as processes of its own: ours, the obvious one, a bare echo, and ours in one process. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../../scripts/build.mjs';
import { makeFolder, postmasterOf } from './ground.mjs';
import { CLEAN_ENVIRONMENT, startProgram } from './programs.mjs';

const RUN_APP = join(ROOT, 'scripts/run-app.mjs');
const COMMAND = join(ROOT, 'apps/cli/bin/countersign.mjs');
/** Node's own arguments, as in the `start` scripts of package.json; the same for every build. */
const NODE = ['--max-semi-space-size=32'];
const ALLOWED = '"decision":"allow"';
const TAKES_CALLS = /worker: takes calls/;
const URL_PRINTED = /: (http:\/\/\S+)\s/;
const file = (name) => fileURLToPath(new URL(name, import.meta.url));
const times = (count, make) => Promise.all(Array.from({ length: count }, make));

/** Node's own arguments before those of a program. */
function profiling(folder) {
  if (folder === null) return [];
  mkdirSync(folder, { recursive: true });
  return ['--cpu-prof', `--cpu-prof-dir=${resolve(folder)}`];
}

/** A build as it is measured: where, with which key, what an answer must hold, and the processes whose CPU counts as its own. */
function build(name, programs, { agentKey, expected = ALLOWED, ...more }) {
  const cpu = Object.fromEntries(programs.map(([part, list]) => [part, list.map(({ pid }) => pid)]));
  return {
    name,
    key: agentKey,
    expected,
    cpu,
    stop: () => Promise.all(programs.flatMap(([, list]) => list).map((one) => one.stop())),
    ...more,
  };
}

/** Ours, as `npm run start:gateway` and `start:worker` run it. */
export async function startCountersign(ground, { workers, profile }) {
  const { env } = ground;
  const app = (name) => [...NODE, ...profiling(profile), RUN_APP, name];
  const worker = await times(workers, () => startProgram('worker', app('worker'), { env, pattern: TAKES_CALLS }));
  const gateway = await startProgram('gateway', app('gateway'), { env, pattern: URL_PRINTED });
  const stored = `SELECT count(*)::int AS n FROM events WHERE type = 'ToolCallDecided'`;
  return build(
    'countersign',
    [
      ['gateway', [gateway]],
      ['worker', worker],
    ],
    { ...ground, url: gateway.found[1], stored },
  );
}

export async function startObvious(ground, { workers }) {
  const { env } = ground;
  const worker = await times(workers, () =>
    startProgram('obvious worker', [...NODE, file('./obvious/worker.mjs')], { env, pattern: TAKES_CALLS }),
  );
  const gateway = await startProgram('obvious gateway', [...NODE, file('./obvious/gateway.mjs')], {
    env,
    pattern: URL_PRINTED,
  });
  const stored = 'SELECT count(*)::int AS n FROM obvious.decisions';
  return build(
    'obvious',
    [
      ['gateway', [gateway]],
      ['worker', worker],
    ],
    { ...ground, url: gateway.found[1], stored },
  );
}

export async function startEcho() {
  const echo = await startProgram('echo', [file('./echo.mjs')], { env: CLEAN_ENVIRONMENT, pattern: URL_PRINTED });
  return build('echo', [['server', [echo]]], { agentKey: 'none', expected: '"toolUseId"', url: echo.found[1] });
}

/** `countersign up` with nothing configured: one process, its own Postgres, the queue in it. */
export async function startEmbedded({ profile }) {
  const folder = makeFolder();
  const home = join(folder, 'home');
  const env = {
    ...CLEAN_ENVIRONMENT,
    COUNTERSIGN_HOME: home,
    GATEWAY_PORT: '0',
    APPROVER_PORT: '0',
    LOG_LEVEL: 'warn',
  };
  const program = [...NODE, ...profiling(profile), COMMAND, 'up'];
  const up = await startProgram('up', program, { env, pattern: /sign-in#code=\S+\s/ });
  const { gateway, agentKey } = JSON.parse(readFileSync(join(home, 'endpoints.json'), 'utf8'));
  const made = build('embedded', [['up', [up]]], { agentKey, url: gateway });
  const database = postmasterOf(join(home, 'postgres'));
  return {
    ...made,
    cpu: { ...made.cpu, postgres: [database] },
    stop: async () => {
      await made.stop();
      if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
    },
  };
}
