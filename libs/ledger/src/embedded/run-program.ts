/** Runs one of the Postgres programs to its end, as an unprivileged user where we are root. */
import { spawn, spawnSync } from 'node:child_process';
import { childEnvironment } from './env.js';
import { PostgresUnavailable } from './binaries.js';

/** Numeric ids of the user that owns and runs the database; null: the user we are. */
export type DatabaseUser = { readonly uid: number; readonly gid: number } | null;

export interface ProgramResult {
  readonly code: number;
  readonly output: string;
}

export interface ProgramOptions {
  readonly user: DatabaseUser;
  readonly cwd: string;
  /** Text for its standard input. */
  readonly input?: string;
  readonly keepsOutput?: boolean;
  /** A Ctrl-C of the terminal does not reach it: what it began it finishes. */
  readonly ownGroup?: boolean;
}

const USER_NAME = 'postgres';
const MAX_OUTPUT = 100_000;

/** Postgres refuses to run as root: there it runs as the system's `postgres` user, which is made if it is missing. */
export function databaseUser(): DatabaseUser {
  if (process.getuid?.() !== 0) return null;
  const found = lookUp();
  if (found !== null) return found;
  spawnSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', USER_NAME]);
  const made = lookUp();
  if (made === null) {
    throw new PostgresUnavailable(`Postgres does not run as root, and no user \`${USER_NAME}\` could be made`);
  }
  return made;
}

function lookUp(): DatabaseUser {
  const id = (flag: string) => {
    const answer = spawnSync('id', [flag, USER_NAME], { encoding: 'utf8' });
    return answer.status === 0 ? Number(answer.stdout.trim()) : Number.NaN;
  };
  const [uid, gid] = [id('-u'), id('-g')];
  return Number.isInteger(uid) && Number.isInteger(gid) ? { uid, gid } : null;
}

/** Runs a program with `input` on its standard input and gives its exit code and everything it printed. */
export function runProgram(program: string, args: readonly string[], options: ProgramOptions): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    // A server that goes on running keeps the pipes open: its starter's output is not waited for.
    const output = options.keepsOutput === false ? 'ignore' : 'pipe';
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: childEnvironment({ LC_ALL: 'C', LC_MESSAGES: 'C' }),
      stdio: ['pipe', output, output],
      detached: options.ownGroup === true,
      ...(options.user ?? {}),
    });
    const parts: string[] = [];
    const keep = (chunk: Buffer) => parts.push(chunk.toString('utf8'));
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.input ?? '');
    child.on('error', (error) => reject(new PostgresUnavailable(`cannot run ${program}: ${error.message}`)));
    child.on('close', (code) => resolve({ code: code ?? 1, output: parts.join('').slice(-MAX_OUTPUT) }));
  });
}
