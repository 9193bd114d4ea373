/** Runs the linter and the format check. The boundary rule reads Nx's project graph, so that is written first. */
import { spawnSync } from 'node:child_process';

const env = { ...process.env, NX_DAEMON: 'false', NX_NO_CLOUD: 'true' };

function run(command, ...args) {
  const { status } = spawnSync('npx', ['--no-install', command, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env,
  });
  if (status !== 0) process.exit(status ?? 1);
}

spawnSync('npx', ['--no-install', 'nx', 'show', 'projects'], { stdio: 'ignore', env });
run('eslint', '.', '--max-warnings=0');
run('prettier', '--check', '--log-level=warn', '.');
console.log('lint: no findings');
