/** The embedded cluster over its life: made, left behind by a killed parent, killed itself, stopped, refused. */
import { afterAll, describe, expect, it } from '@jest/globals';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster, type Cluster } from './cluster.js';

const home = mkdtempSync(join(tmpdir(), 'countersign-cluster-'));
chmodSync(home, 0o711);
const folder = join(home, 'postgres');
const options = { folder, ownerPassword: 'a b/c', port: null };
const pidFile = join(folder, 'data/postmaster.pid');
const serverPid = () => Number(readFileSync(pidFile, 'utf8').split('\n')[0]);

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

  it('takes over from a server that a killed parent left running', async () => {
    const before = serverPid();
    running = await startCluster(options);
    expect(serverPid()).not.toBe(before);
  }, 60_000);

  it('recovers after the server itself was killed', async () => {
    process.kill(serverPid(), 'SIGKILL');
    running = await startCluster(options);
    expect(existsSync(pidFile)).toBe(true);
  }, 60_000);

  it('stops cleanly, and starts over a process id that belongs to another program by now', async () => {
    await running?.stop();
    expect(existsSync(pidFile)).toBe(false);
    if (process.platform === 'linux') writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o644 });
    running = await startCluster(options);
    expect(serverPid()).not.toBe(process.pid);
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
