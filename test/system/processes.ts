/** Starts real programs of the house, reads what they print, and leaves none of them behind. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

export interface Program {
  readonly child: ChildProcess;
  /** Everything that was printed so far. */
  output(): string;
  /** Exit code; null: ended by a signal. */
  readonly ended: Promise<number | null>;
  /** What `pattern` found in the output, once it is there; throws when the program ends before. */
  prints(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends the signal, unless the program has ended, and waits for its end. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export interface ProgramOptions {
  readonly env: Record<string, string | undefined>;
  readonly input?: string;
}

/** A first start may have to wait for a build. */
const PRINT_MS = 120_000;

/** Only what a program needs of our own environment; the settings of a service that happens to run here stay out. */
export const CLEAN_ENVIRONMENT = { PATH: process.env['PATH'], HOME: process.env['HOME'] };

export function startProgram(args: readonly string[], { env, input }: ProgramOptions): Program {
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const parts: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => parts.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => parts.push(chunk.toString()));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input ?? '');
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  let over = false;
  const ended = endOf(child).finally(() => {
    over = true;
    process.off('exit', kill);
  });
  const output = (): string => parts.join('');
  return {
    child,
    output,
    ended,
    prints: (pattern) => waitFor(pattern, output, () => over),
    end: (signal) => {
      if (!over) child.kill(signal);
      return ended;
    },
  };
}

/** A database that outlives a killed program may hold its pipes, so the last output is not waited for without limit. */
async function endOf(child: ChildProcess): Promise<number | null> {
  const closed = once(child, 'close');
  const [code] = (await once(child, 'exit')) as [number | null];
  await Promise.race([closed, pause(500)]);
  return code;
}

async function waitFor(pattern: RegExp, output: () => string, hasEnded: () => boolean): Promise<RegExpExecArray> {
  const giveUp = Date.now() + PRINT_MS;
  for (;;) {
    const found = pattern.exec(output());
    if (found !== null) return found;
    if (hasEnded() || Date.now() > giveUp) throw new Error(`${String(pattern)} was never printed:\n${output()}`);
    await pause(20);
  }
}
