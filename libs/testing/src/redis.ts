/** A real Redis for tests: the one that the environment names, or a process of our own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from '@countersign/ledger';

export interface RedisFixture {
  readonly url: string;
  /** Ends our own process; a Redis that was found is left running. */
  stop(): Promise<void>;
}

export interface OwnRedis extends RedisFixture {
  readonly port: number;
  /** Freezes the process, so that connections stand but nothing answers; `thaw` lets it go on. */
  freeze(): void;
  thaw(): void;
}

/** TEST_REDIS_URL, else REDIS_URL, else a `redis-server` of the path on a free port. Tests share it: use prefixes of your own. */
export async function startRedis(): Promise<RedisFixture> {
  const url = process.env['TEST_REDIS_URL'] ?? process.env['REDIS_URL'];
  if (url) return { url, stop: async () => undefined };
  return startOwnRedis();
}

/** A Redis of one's own, to stop, freeze and start again on the same port. Nothing is saved to disk. */
export async function startOwnRedis(options: { port?: number; maxmemoryPolicy?: string } = {}): Promise<OwnRedis> {
  const port = options.port ?? (await freePort());
  const policy = options.maxmemoryPolicy ?? 'noeviction';
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server = spawn('redis-server', [...args, '--maxmemory-policy', policy], { stdio: 'ignore', cwd: '/' });
  await answering(server, port);
  const kill = (): void => void server.kill('SIGKILL');
  process.once('exit', kill);
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    stop: async () => {
      process.off('exit', kill);
      if (server.exitCode !== null || server.signalCode !== null) return;
      kill();
      await once(server, 'exit');
    },
  };
}

async function answering(server: ChildProcess, port: number): Promise<void> {
  let failure: Error | undefined;
  server.once('error', (cause) => {
    failure = new Error('no Redis for tests: set TEST_REDIS_URL or install redis-server', { cause });
  });
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (failure) throw failure;
    if (server.exitCode !== null) throw new Error(`redis-server ended with code ${server.exitCode}`);
    if (await pongs(port)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  server.kill('SIGKILL');
  throw new Error('redis-server did not answer within 5 s');
}

function pongs(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(500, () => end(false));
    socket.once('data', (data) => end(data.toString().startsWith('+PONG')));
    socket.once('error', () => end(false));
  });
}
