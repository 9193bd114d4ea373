/**
 * The embedded database of a home: made once, started, recovered after a crash, stopped cleanly. The server runs in a process
 * group of its own, so that Ctrl-C reaches us first and the database goes last.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { appendFile, chmod, chown, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processIsAlive } from '../home/lock.js';
import { freePort } from '../up/ports.js';
import { othersMayEnter, PostgresUnavailable, prepareBinaries, type PostgresBinaries } from './binaries.js';
import { databaseUser, runProgram, type DatabaseUser } from './run-program.js';

const OWNER = 'countersign';
const DATABASE = 'countersign';
const START_TRIES = 3;
const START_SECONDS = '60';
const STOP_SECONDS = 4;
const RETRY_MS = 400;

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
  return { port, ownerUrl, stop: () => stopServer(site), abort: () => abortServer(site) };
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
    () => false,
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

/** INVARIANT: only the holder of the home's lock comes here, so a server that still runs lost its parent and is ours to stop. */
async function stopLeftover(site: Site, options: ClusterOptions): Promise<void> {
  const pidFile = join(site.data, 'postmaster.pid');
  const pid = readPid(pidFile);
  if (pid === null) return;
  if (processIsAlive(pid) && isServerOf(pid, site.data)) {
    options.onProgress?.('stopping a database that an earlier run left behind …');
    await stopServer(site);
  } else {
    // The id may belong to another program by now; Postgres would refuse to start over such a file.
    await rm(pidFile, { force: true });
  }
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
    return readlinkSync(`/proc/${pid}/cwd`) === data;
  } catch {
    // On Linux a process without a folder is one that has ended and waits for its parent.
    return process.platform !== 'linux';
  }
}

async function startServer(site: Site, options: ClusterOptions): Promise<number> {
  let reason = '';
  for (let attempt = 0; attempt < START_TRIES; attempt += 1) {
    const port = options.port ?? (await freePort());
    const started = await pgCtl(site, ['start', '-w', '-t', START_SECONDS, '-l', site.log, '-o', `-p ${port}`]);
    if (started === 0) return port;
    reason = await lastLogLine(site);
    // Processes of a killed server may still be going; a free port may just have been taken.
    await sleep(RETRY_MS);
  }
  throw new PostgresUnavailable(`the database does not start: ${reason} (${site.log})`);
}

async function stopServer(site: Site): Promise<void> {
  if ((await pgCtl(site, ['stop', '-m', 'fast', '-w', '-t', String(STOP_SECONDS)])) === 0) return;
  await pgCtl(site, ['stop', '-m', 'immediate', '-w', '-t', String(STOP_SECONDS)]);
}

/** SIGQUIT is Postgres' immediate shutdown. */
function abortServer(site: Site): void {
  const pid = readPid(join(site.data, 'postmaster.pid'));
  if (pid === null || !isServerOf(pid, site.data)) return;
  try {
    process.kill(pid, 'SIGQUIT');
  } catch {
    // It is gone already.
  }
}

async function pgCtl(site: Site, args: string[]): Promise<number> {
  const options = { user: site.user, cwd: dirname(site.data), keepsOutput: false };
  return (await runProgram(site.binaries.pgCtl, ['-D', site.data, '-s', ...args], options)).code;
}

async function writeOwned(site: Site, path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600 });
  await chmod(path, 0o600);
  if (site.user !== null) await chown(path, site.user.uid, site.user.gid);
}

/** The newest complaint in the server's log, without its time stamp. */
async function lastLogLine(site: Site): Promise<string> {
  const file = await open(site.log).catch(() => null);
  if (file === null) return 'no log was written';
  const text = await file.readFile('utf8').finally(() => file.close());
  const complaints = text.split('\n').filter((line) => /\b(FATAL|PANIC|ERROR|could not)\b/.test(line));
  return lastLine(complaints.slice(-1).join('\n') || text).replace(/^\S+ \S+ \S+ \[\d+\] /, '');
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() ?? '';
}
