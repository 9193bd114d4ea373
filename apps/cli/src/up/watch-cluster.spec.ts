/** The watch over the embedded database: brought back when it ended, given up when it does not stay. */
import { describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { watchCluster } from './watch-cluster.js';

function house(restart: (database: { running: boolean }) => void) {
  const database = { running: true, restarts: 0 };
  const lines: string[] = [];
  const lost: string[] = [];
  const cluster = {
    isRunning: () => database.running,
    restart: async () => {
      database.restarts += 1;
      await sleep(5);
      restart(database);
    },
  };
  const events = { onProgress: (line: string) => lines.push(line), onLost: (error: Error) => lost.push(error.message) };
  return { database, lines, lost, watch: watchCluster(cluster, events, 2) };
}

describe('watchCluster', () => {
  it('leaves a running database alone, and starts one that ended once', async () => {
    const { database, lines, lost, watch } = house((state) => (state.running = true));
    await sleep(20);
    expect(database.restarts).toBe(0);
    database.running = false;
    await sleep(40);
    await watch.stop();
    expect({ restarts: database.restarts, lost }).toEqual({ restarts: 1, lost: [] });
    expect(lines).toEqual(['the database ended unexpectedly: starting it again …', 'the database runs again']);
  });

  it('tells when it cannot be started, and tries no more', async () => {
    const { database, lost, watch } = house(() => {
      throw new Error('no room');
    });
    database.running = false;
    await sleep(40);
    await watch.stop();
    expect({ restarts: database.restarts, lost }).toEqual({ restarts: 1, lost: ['no room'] });
  });

  it('gives up on a database that keeps ending', async () => {
    const { database, lost, watch } = house(() => undefined);
    database.running = false;
    await sleep(200);
    await watch.stop();
    expect(database.restarts).toBe(5);
    expect(lost).toEqual([expect.stringContaining('keeps ending')]);
  });
});
