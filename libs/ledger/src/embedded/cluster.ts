/**
 * The embedded database of one folder: made once, started, recovered after a crash, stopped cleanly. The server runs in a process
 * group of its own, so that Ctrl-C reaches us first and the database goes last.
 */
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { appendFile, chown, mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { othersMayEnter, PostgresUnavailable, prepareBinaries, type PostgresBinaries } from './binaries.js';
import { freePort } from './free-port.js';
import { processIsAlive } from './process-is-alive.js';
import { databaseUser, runProgram, type DatabaseUser } from './run-program.js';

const OWNER = 'countersign';
const DATABASE = 'countersign';
const START_TRIES = 3;
const START_SECONDS = '60';
const STOP_SECONDS = 4;
const RETRY_MS = 400;
/** How long a killed server's own processes may take to end: one may be in the middle of a long query. */
const LEFTOVERS_MS = 30_000;

/** What a cluster is made from. `folder` is absolute and belongs to the cluster alone. */
export interface ClusterOptions {
  readonly folder: string;
  readonly ownerPassword: string;
  /** Null: any free port. */
  readonly port: number | null;
  /** Lines for postgresql.conf of a new cluster. */
  readonly settings?: readonly string[];
  onProgress?(line: string): void;
}

/** A running cluster. */
export interface Cluster {
  readonly port: number;
  /** Connects as the owner, a superuser of this cluster. */
  readonly ownerUrl: string;
  /** False once the server has ended, whatever ended it. */
  isRunning(): boolean;
  /** Starts a server that has ended again, on the same port and files; throws PostgresUnavailable with one line. */
  restart(): Promise<void>;
  /** Stops within five seconds; the files are left as after a clean shutdown. */
  stop(): Promise<void>;
  /** Tells the server to end at once; the next start recovers. */
  abort(): void;
}

interface Site {
  readonly data: string;
  readonly log: string;
  readonly user: DatabaseUser;
  readonly binaries: PostgresBinaries;
}

/** Starts the cluster of a folder, and makes it first where there is none. Throws PostgresUnavailable with one line. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const site = await prepareSite(options.folder);
  await stopLeftover(site, options);
  if (!(await isMade(site))) await makeCluster(site, options);
  const port = await startServer(site, options);
  const ownerUrl = `postgresql://${OWNER}:${encodeURIComponent(options.ownerPassword)}@127.0.0.1:${port}/${DATABASE}`;
  return {
    port,
    ownerUrl,
    isRunning: () => runningServer(site) !== null,
    restart: () => restartServer(site, { ...options, port }),
    stop: () => stopServer(site),
    abort: () => abortServer(site),
  };
}

/** INVARIANT: a server that ended is never replaced by a new, empty one: without its files it stays down. */
async function restartServer(site: Site, options: ClusterOptions): Promise<void> {
  if (!(await isMade(site))) throw new PostgresUnavailable(`the database does not start: ${site.data} is gone`);
  await stopLeftover(site, options);
  await startServer(site, options);
}

async function prepareSite(folder: string): Promise<Site> {
  const user = databaseUser();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (user !== null) {
    if (!(await othersMayEnter(dirname(folder)))) {
      throw new PostgresUnavailable(
        `the database's user may not enter ${dirname(folder)}: choose another folder with COUNTERSIGN_HOME`,
      );
    }
    await chown(folder, user.uid, user.gid);
  }
  const binaries = await prepareBinaries(join(folder, 'bin'), user !== null);
  return { data: join(folder, 'data'), log: join(folder, 'postgres.log'), user, binaries };
}

/** The last step of making a cluster writes this file: a folder without it was left half made and is made anew. */
const marker = (site: Site) => join(site.data, 'countersign-made');

async function isMade(site: Site): Promise<boolean> {
  return readFile(marker(site)).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      // INVARIANT: only a folder that surely has no marker is made anew; whatever else is wrong must not cost its data.
      if (error.code === 'ENOENT') return false;
      throw new PostgresUnavailable(`cannot read the database folder: ${error.message}`);
    },
  );
}

async function makeCluster(site: Site, options: ClusterOptions): Promise<void> {
  options.onProgress?.('making the database …');
  await rm(site.data, { recursive: true, force: true });
  const passwordFile = join(options.folder, 'new-password');
  await writeOwned(site, passwordFile, options.ownerPassword);
  const flags = [
    ...['-D', site.data, '-U', OWNER, '--pwfile', passwordFile, '--auth=scram-sha-256', '--encoding=UTF8'],
    ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
  ];
  const made = await runProgram(site.binaries.initdb, flags, { user: site.user, cwd: options.folder });
  await rm(passwordFile, { force: true });
  if (made.code !== 0) throw new PostgresUnavailable(`initdb failed: ${lastLine(made.output)}`);
  const settings = ["listen_addresses = '127.0.0.1'", "unix_socket_directories = ''", ...(options.settings ?? [])];
  await appendFile(join(site.data, 'postgresql.conf'), `\n${settings.join('\n')}\n`);
  const single = await runProgram(site.binaries.postgres, ['--single', '-D', site.data, 'postgres'], {
    user: site.user,
    cwd: options.folder,
    input: `CREATE DATABASE ${DATABASE};\n`,
  });
  if (single.code !== 0) throw new PostgresUnavailable(`cannot make the database: ${lastLine(single.output)}`);
  await writeOwned(site, marker(site), 'made\n');
}

/** INVARIANT: a folder has one caller at a time (`up` holds its home's lock), so a server that still runs lost its parent and is ours to stop. */
async function stopLeftover(site: Site, options: ClusterOptions): Promise<void> {
  const pidFile = join(site.data, 'postmaster.pid');
  if (readPid(pidFile) === null) return;
  if (runningServer(site) !== null) {
    options.onProgress?.('stopping a database that an earlier run left behind …');
    await stopServer(site);
  } else {
    // The id may belong to another program by now; Postgres would refuse to start over such a file.
    await rm(pidFile, { force: true });
  }
}

/** The process id of the folder's server; null when none runs. */
function runningServer(site: Site): number | null {
  const pid = readPid(join(site.data, 'postmaster.pid'));
  return pid !== null && processIsAlive(pid) && isServerOf(pid, site.data) ? pid : null;
}

function readPid(pidFile: string): number | null {
  try {
    const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
    return Number.isInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null;
  }
}

/** True when the process works in the data folder, or where the system cannot tell. */
function isServerOf(pid: number, data: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(data);
  } catch (error) {
    // On Linux a process without a folder is one that has ended and waits for its parent; in a container one may not be allowed to look.
    return process.platform !== 'linux' || (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

async function startServer(site: Site, options: ClusterOptions): Promise<number> {
  let complaints: readonly string[] = [];
  const giveUpAt = Date.now() + LEFTOVERS_MS;
  for (
    let attempt = 0;
    attempt < START_TRIES || (waitsForLeftovers(complaints) && Date.now() < giveUpAt);
    attempt += 1
  ) {
    if (attempt === START_TRIES) options.onProgress?.('waiting for processes of the killed database to end …');
    const port = options.port ?? (await freePort());
    const logged = await logSize(site);
    const started = await pgCtl(site, ['start', '-w', '-t', START_SECONDS, '-l', site.log, '-o', `-p ${port}`]);
    if (started === 0) return port;
    complaints = await complaintsSince(site, logged);
    // Processes of a killed server may still be going; a free port may just have been taken.
    await sleep(RETRY_MS);
  }
  throw new PostgresUnavailable(
    `the database does not start: ${complaints.at(-1) ?? 'no log was written'} (${site.log})`,
  );
}

/**
 * Postgres refuses to start while a process of the server before it still holds its memory. That process writes to the same log, so
 * the refusal need not be the newest complaint.
 */
function waitsForLeftovers(complaints: readonly string[]): boolean {
  return complaints.some((line) => line.includes('is still in use'));
}

async function stopServer(site: Site): Promise<void> {
  if ((await pgCtl(site, ['stop', '-m', 'fast', '-w', '-t', String(STOP_SECONDS)])) === 0) return;
  await pgCtl(site, ['stop', '-m', 'immediate', '-w', '-t', String(STOP_SECONDS)]);
}

/** SIGQUIT is Postgres' immediate shutdown. */
function abortServer(site: Site): void {
  const pid = runningServer(site);
  if (pid === null) return;
  try {
    process.kill(pid, 'SIGQUIT');
  } catch {
    // It is gone already.
  }
}

async function pgCtl(site: Site, args: string[]): Promise<number> {
  const options = { user: site.user, cwd: dirname(site.data), keepsOutput: false, ownGroup: true };
  return (await runProgram(site.binaries.pgCtl, ['-D', site.data, '-s', ...args], options)).code;
}

async function writeOwned(site: Site, path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.chmod(0o600);
    // A power cut must not take the marker of a database that was used already.
    await file.sync();
  } finally {
    await file.close();
  }
  if (site.user !== null) await chown(path, site.user.uid, site.user.gid);
}

async function logSize(site: Site): Promise<number> {
  return stat(site.log).then(
    ({ size }) => size,
    () => 0,
  );
}

/** What the log has complained of since it had `from` bytes, without time stamps; its last line where no line is a complaint. */
async function complaintsSince(site: Site, from: number): Promise<string[]> {
  const log = await readFile(site.log).catch(() => Buffer.alloc(0));
  const lines = log.subarray(from).toString('utf8').trim().split('\n');
  const complaints = lines.filter((line) => /\b(FATAL|PANIC|ERROR|could not)\b/.test(line));
  const told = complaints.length > 0 ? complaints : lines.slice(-1);
  return told.map((line) => line.replace(/^\S+ \S+ \S+ \[\d+\] /, '').trim()).filter((line) => line !== '');
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() ?? '';
}
