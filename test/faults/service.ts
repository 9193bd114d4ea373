/** One process of the house that a test may kill, freeze and start again on the same port. */
import { resolve } from 'node:path';
import { freePort } from '@countersign/testing';
import { startProgram, type Program } from '../system/processes.js';

const SCRIPT = resolve('scripts/run-app.mjs');

export type ServiceName = 'gateway' | 'worker' | 'approver';

const READY: Readonly<Record<ServiceName, RegExp>> = {
  gateway: /gateway: http:\/\/\S+\s/,
  worker: /worker: takes calls/,
  approver: /approver: http:\/\/\S+\s/,
};

export class Service {
  private program: Program | null = null;
  private readonly past: Program[] = [];

  private constructor(
    readonly name: ServiceName,
    readonly port: number,
    private readonly env: Record<string, string | undefined>,
  ) {}

  /** `env`: of the whole house. Each service names itself to the database, so that a test can tell who did what there. */
  static async make(name: ServiceName, index: number, env: Record<string, string | undefined>): Promise<Service> {
    const port = await freePort();
    const database = new URL(env['DATABASE_URL'] ?? '');
    database.searchParams.set('application_name', `${name}-${index}`);
    const ports = { GATEWAY_PORT: String(port), APPROVER_PORT: String(port), WORKER_PORT: String(port) };
    return new Service(name, port, { ...env, ...ports, DATABASE_URL: database.href });
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Of the running program; NaN when none runs. */
  get pid(): number {
    return this.program?.child.pid ?? Number.NaN;
  }

  /** Everything that all its programs printed. */
  get output(): string {
    return [...this.past, ...(this.program ? [this.program] : [])].map((program) => program.output()).join('');
  }

  /** Resolves when the service takes work. */
  async start(): Promise<void> {
    this.program = startProgram([SCRIPT, this.name], { env: this.env });
    await this.program.prints(READY[this.name]);
  }

  /** Sends a signal and waits for the end; gives the exit code, null when the signal ended it. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const { program } = this;
    if (program === null) return null;
    this.program = null;
    this.past.push(program);
    // A frozen process takes no other signal.
    program.child.kill('SIGCONT');
    return program.end(signal);
  }

  /** Stops the process where it stands; its connections stay open. */
  freeze(): void {
    this.program?.child.kill('SIGSTOP');
  }

  thaw(): void {
    this.program?.child.kill('SIGCONT');
  }
}
