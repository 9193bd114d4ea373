/** The embedded cluster over its life: made, left behind by a killed parent, killed itself, stopped, refused. */
import { afterAll, describe, expect, it } from '@jest/globals';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startCluster, type Cluster } from './cluster.js';

const home = mkdtempSync(join(tmpdir(), 'countersign-cluster-'));
chmodSync(home, 0o711);
const folder = join(home, 'postgres');
const options = { folder, ownerPassword: 'a b/c', port: null, settings: ['fsync = off'] };
const pidFile = join(folder, 'data/postmaster.pid');
const serverPid = () => Number(readFileSync(pidFile, 'utf8').split('\n')[0]);

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query(text).finally(() => client.end());
  return rows;
}

describe('embedded cluster', () => {
  let running: Cluster | null = null;
  afterAll(async () => {
    await running?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  it('is made and started', async () => {
    running = await startCluster(options);
    expect(running.ownerUrl).toBe(`postgresql://countersign:a%20b%2Fc@127.0.0.1:${running.port}/countersign`);
    expect(serverPid()).toBeGreaterThan(0);
  }, 60_000);

  it('listens on loopback only, asks for the password, and keeps the settings that it was given', async () => {
    const url = running?.ownerUrl ?? '';
    await query(url, "CREATE TABLE kept AS SELECT 'yes' AS kept");
    expect(await query(url, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
    expect(await query(url, 'SHOW fsync')).toEqual([{ fsync: 'off' }]);
    const wrong = url.replace(/:[^:@/]+@/, ':wrong@');
    await expect(query(wrong, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
  });

  it('takes over from a server that a killed parent left running', async () => {
    const before = serverPid();
    running = await startCluster(options);
    expect(serverPid()).not.toBe(before);
    expect(await query(running.ownerUrl, 'SELECT kept FROM kept')).toEqual([{ kept: 'yes' }]);
  }, 60_000);

  it('recovers after the server itself was killed', async () => {
    process.kill(serverPid(), 'SIGKILL');
    running = await startCluster(options);
    expect(existsSync(pidFile)).toBe(true);
  }, 60_000);

  it('is started again where it was, once it is seen that it ended', async () => {
    const before = serverPid();
    expect(running?.isRunning()).toBe(true);
    process.kill(before, 'SIGKILL');
    while (running?.isRunning()) await new Promise((resolve) => setTimeout(resolve, 20));
    await running?.restart();
    expect(running?.isRunning()).toBe(true);
    expect(serverPid()).not.toBe(before);
    expect(await query(running?.ownerUrl ?? '', 'SELECT kept FROM kept')).toEqual([{ kept: 'yes' }]);
  }, 60_000);

  it('waits for a killed server whose backend is still in the middle of a query', async () => {
    const busy = query(running?.ownerUrl ?? '', 'SELECT count(*) FROM generate_series(1, 30000000) i WHERE i % 7 = 0');
    const ended = busy.catch(() => undefined);
    await query(running?.ownerUrl ?? '', 'SELECT 1');
    process.kill(serverPid(), 'SIGKILL');
    running = await startCluster(options);
    await ended;
    expect(await query(running.ownerUrl, 'SELECT kept FROM kept')).toEqual([{ kept: 'yes' }]);
  }, 90_000);

  it('never makes a folder anew whose marker it cannot read', async () => {
    const odd = join(home, 'odd');
    mkdirSync(join(odd, 'data/countersign-made'), { recursive: true });
    await expect(startCluster({ ...options, folder: odd })).rejects.toThrow('cannot read the database folder');
    expect(existsSync(join(odd, 'data/countersign-made'))).toBe(true);
  }, 60_000);

  it('stops cleanly, and starts over a process id that belongs to another program by now', async () => {
    await running?.stop();
    expect(existsSync(pidFile)).toBe(false);
    if (process.platform === 'linux') writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o644 });
    running = await startCluster(options);
    expect(serverPid()).not.toBe(process.pid);
    expect(await query(running.ownerUrl, 'SELECT kept FROM kept')).toEqual([{ kept: 'yes' }]);
    await running.stop();
    running = null;
  }, 60_000);

  it('says in one line why it does not start', async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) =>
      taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port)),
    );
    await expect(startCluster({ ...options, port })).rejects.toThrow(/^the database does not start: [^\n]+$/);
    taken.close();
  }, 60_000);
});
