import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { underLoad } from './load.js';

/** A service that lets every call wait. */
let server: Server;
let asked = 0;
beforeEach(async () => {
  asked = 0;
  server = createServer(() => (asked += 1)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

it('a load whose work failed is stopped, and its calls with it', async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const options = { url, key: 'key', perSecond: 100, seconds: 3_600, name: 'stopped' };
  const work = async (): Promise<never> => {
    while (asked < 5) await pause(10);
    throw new Error('the fault could not be made');
  };
  await expect(underLoad(options, work)).rejects.toThrow('the fault could not be made');
  const before = asked;
  await pause(100);
  expect(asked).toBe(before);
});
