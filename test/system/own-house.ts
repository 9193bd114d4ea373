/** `countersign up` on a home of its own, as a user runs it: a process that may be stopped, killed and started again. */
import { existsSync, realpathSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { PolicyInput } from '@countersign/contracts';
import { createLedger, type Ledger } from '@countersign/ledger';
import type { PeoplesDoor } from './doors.js';
import { CLEAN_ENVIRONMENT, startProgram, type Program } from './processes.js';

/** The command, as in a checkout. Needs a finished build, or makes one. */
const COMMAND = resolve('apps/cli/bin/countersign.mjs');

/** Not /tmp: some recorded calls clean up there, and whoever may reach the home from above is refused. */
const TEMPORARY = existsSync('/var/tmp') ? realpathSync('/var/tmp') : tmpdir();

/** What `endpoints.json` says. */
export interface Endpoints {
  readonly gateway: string;
  readonly console: string;
  readonly agentKey: string;
  readonly approverKey: string;
  readonly auditorKey: string;
  readonly adminKey: string;
}

export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

export class OwnHouse {
  private program: Program | null = null;
  private read: Endpoints | null = null;

  private constructor(
    readonly home: string,
    private readonly settings: Readonly<Record<string, string>>,
  ) {}

  /** A started house. `policy` becomes the home's policy.yaml; absent: what a first start makes. `settings`: further variables. */
  static async open(policy?: PolicyInput, settings: Readonly<Record<string, string>> = {}): Promise<OwnHouse> {
    const home = await mkdtemp(join(TEMPORARY, 'countersign-system-'));
    // As root the database runs as another user, who must be able to pass.
    await chmod(home, 0o711);
    // JSON is YAML.
    if (policy !== undefined) await writeFile(join(home, 'policy.yaml'), JSON.stringify(policy));
    const house = new OwnHouse(home, settings);
    await house.start().catch(async (error: unknown) => {
      await house.close();
      throw error;
    });
    return house;
  }

  /** Of the last start: the ports are chosen anew each time. */
  get endpoints(): Endpoints {
    if (this.read === null) throw new Error('the house was not started');
    return this.read;
  }

  get approver(): PeoplesDoor {
    return { url: this.endpoints.console, key: this.endpoints.approverKey };
  }

  get auditor(): PeoplesDoor {
    return { url: this.endpoints.console, key: this.endpoints.auditorKey };
  }

  /** The one-time link that the last start printed. */
  get signInLink(): string {
    const link = /http\S+\/sign-in#code=\S+/.exec(this.program?.output() ?? '')?.[0];
    if (link === undefined) throw new Error('no sign-in link was printed');
    return link;
  }

  async start(): Promise<void> {
    const program = startProgram([COMMAND, 'up'], { env: this.environment() });
    this.program = program;
    await program.prints(/Countersign is running/);
    // The banner follows in one piece, but a pipe may cut it.
    await program.prints(/sign-in#code=\S+\s/);
    this.read = JSON.parse(await readFile(join(this.home, 'endpoints.json'), 'utf8')) as Endpoints;
  }

  /** `kill -9` of the process, and with `database` of its Postgres too, as when the machine loses its power. */
  async kill({ database }: { readonly database: boolean }): Promise<void> {
    if (database) for (const pid of await this.postgresPids()) killIfThere(pid, 'SIGKILL');
    await this.program?.end('SIGKILL');
    this.program = null;
  }

  stop(): Promise<number | null> {
    const ended = this.program?.end('SIGTERM') ?? Promise.resolve(null);
    this.program = null;
    return ended;
  }

  /** Runs a command of `countersign` on this home to its end. */
  async run(args: readonly string[], input?: string): Promise<Ended> {
    const options = input === undefined ? {} : { input };
    const program = startProgram([COMMAND, ...args], { env: this.environment(), ...options });
    const code = await program.ended;
    return { code, output: program.output() };
  }

  /** What the database itself wrote to its log. */
  postgresLog(): Promise<string> {
    return readFile(join(this.home, 'postgres/postgres.log'), 'utf8');
  }

  /** The ledger of the running house, under the application's own role; for what no door offers. */
  async openLedger(): Promise<Ledger> {
    const secrets = JSON.parse(await readFile(join(this.home, 'secrets.json'), 'utf8')) as Record<string, string>;
    const port = (await readFile(this.pidFile, 'utf8')).split('\n')[3]?.trim() ?? '';
    const url = new URL(`postgresql://127.0.0.1:${port}/countersign`);
    url.username = secrets['appRole'] ?? '';
    url.password = secrets['appPassword'] ?? '';
    return createLedger({ databaseUrl: url.href, poolSize: 2 });
  }

  /** Ends whatever still runs and takes the home away. */
  async close(): Promise<void> {
    await this.stop();
    for (let tries = 0; tries < 400; tries += 1) {
      const left = await this.postgresPids();
      if (left.length === 0) break;
      for (const pid of left) killIfThere(pid, 'SIGQUIT');
      await pause(25);
    }
    await rm(this.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  private get pidFile(): string {
    return join(this.home, 'postgres/data/postmaster.pid');
  }

  /** The server first, then its own processes; where the system does not tell of those, the server alone. */
  private async postgresPids(): Promise<number[]> {
    const server = Number((await readFile(this.pidFile, 'utf8').catch(() => '')).split('\n')[0]);
    if (!existsSync('/proc/self/cwd')) return server > 0 ? [server] : [];
    const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const folders = await Promise.all(names.map((name) => readlink(`/proc/${name}/cwd`).catch(() => null)));
    const data = join(this.home, 'postgres/data');
    const ours = names.filter((_, index) => folders[index] === data).map(Number);
    return ours.sort((one, other) => Number(other === server) - Number(one === server));
  }

  private environment(): Record<string, string | undefined> {
    const own = { COUNTERSIGN_HOME: this.home, GATEWAY_PORT: '0', APPROVER_PORT: '0' };
    return { ...CLEAN_ENVIRONMENT, ...this.settings, ...own };
  }
}

function killIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended by itself.
  }
}
