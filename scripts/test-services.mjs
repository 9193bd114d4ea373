/** What the tests need beside Node: a Postgres cluster (from npm), Redis and a browser (given, found, or installed by the system's package manager). */
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, chmodSync, constants, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Something that the tests need is not there and could not be had; the message is one line for a person. */
export class ServiceMissing extends Error {}

const INSTALLERS = [
  {
    command: 'apt-get',
    steps: (name) => [
      ['apt-get', 'update', '-qq'],
      ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', name],
    ],
    redis: 'redis-server',
    browser: 'chromium',
  },
  { command: 'apk', steps: (name) => [['apk', 'add', '--no-cache', name]], redis: 'redis', browser: 'chromium' },
  { command: 'dnf', steps: (name) => [['dnf', 'install', '-y', '-q', name]], redis: 'redis', browser: 'chromium' },
  { command: 'brew', steps: (name) => [['brew', 'install', name]], redis: 'redis', browser: 'chromium', asUser: true },
];
const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const BROWSER_PATHS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The full path of a program on PATH; null when there is none. */
function onPath(name) {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      continue;
    }
  }
  return null;
}

/** Installs a package; false when no package manager here may do it. */
function install(what) {
  const installer = INSTALLERS.find(({ command }) => onPath(command));
  if (!installer) return false;
  const root = process.getuid?.() === 0;
  const prefix = root || installer.asUser ? [] : ['sudo', '-n'];
  if (prefix.length > 0 && !onPath('sudo')) return false;
  process.stderr.write(`installing ${installer[what]} with ${installer.command} …\n`);
  for (const step of installer.steps(installer[what])) {
    const [command, ...args] = [...prefix, ...step];
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const done = spawnSync(command, args, { stdio: ['ignore', process.stderr, process.stderr], env });
    if (done.status !== 0) return false;
  }
  return true;
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString().startsWith('+PONG'));
    });
    socket.once('error', () => resolve(false));
  });
}

/** Redis for the tests: TEST_REDIS_URL or REDIS_URL when set, else a server of our own on a free port, without persistence. */
export async function startRedis() {
  const url = process.env.TEST_REDIS_URL ?? process.env.REDIS_URL;
  if (url) return { url, what: 'Redis as given', stop: async () => undefined };
  const program = onPath('redis-server') ?? (install('redis') ? onPath('redis-server') : null);
  if (!program) {
    throw new ServiceMissing(
      'the tests need Redis: set REDIS_URL, or install redis-server (apt-get, brew, apk or dnf)',
    );
  }
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'countersign-redis-'));
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server = spawn(program, [...args, '--maxmemory-policy', 'noeviction', '--dir', folder], { stdio: 'ignore' });
  const ended = new Promise((resolve) => server.on('exit', resolve));
  const stop = async () => {
    server.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  for (let tries = 0; tries < 100; tries += 1) {
    if (await answers(port)) return { url: `redis://127.0.0.1:${port}`, what: `Redis on port ${port}`, stop };
    await sleep(50);
  }
  await stop();
  throw new ServiceMissing(`${program} does not answer on port ${port}`);
}

/** The path of a Chromium: CHROMIUM_PATH when set, else one of this machine, else one from the package manager. */
export async function findBrowser() {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH;
  const find = () => BROWSERS.map(onPath).find(Boolean) ?? BROWSER_PATHS.find(existsSync) ?? null;
  const path = find() ?? (install('browser') ? find() : null);
  if (!path) throw new ServiceMissing('the tests need Chromium: set CHROMIUM_PATH, or install chromium');
  return path;
}

/** A Postgres cluster for the tests: TEST_DATABASE_URL when set, else an embedded one in a new folder. Needs a finished build. */
export async function startPostgres() {
  const url = process.env.TEST_DATABASE_URL;
  if (url) return { url, what: 'Postgres as given', stop: async () => undefined };
  const { startCluster } = await import('../libs/ledger/dist/embedded/cluster.js');
  const folder = mkdtempSync(join(tmpdir(), 'countersign-postgres-'));
  // As root the server runs as another user, who must be able to enter.
  chmodSync(folder, 0o711);
  const cluster = await startCluster({
    folder: join(folder, 'cluster'),
    ownerPassword: 'test',
    port: null,
    settings: ['max_connections = 300', 'fsync = off', 'synchronous_commit = off', 'full_page_writes = off'],
  });
  const stop = async () => {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { url: cluster.ownerUrl, what: `Postgres on port ${cluster.port}`, stop };
}
