/** Requests to configured addresses: which are refused, that the checked address is the one connected to, and the bounds. */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OutboundRefused, postOutbound } from './outbound.js';
import { isPrivateAddress } from './private-addresses.js';

describe('private addresses', () => {
  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.8.8.8',
    '169.254.169.254',
    '172.31.255.255',
    '192.168.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:8.8.8.8',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'ff02::1',
    '2001:db8::1',
    '2002:7f00:1::',
    'localhost',
    '127.1',
    '',
  ])('%s is one', (address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });

  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1'])(
    '%s is public',
    (address) => {
      expect(isPrivateAddress(address)).toBe(false);
    },
  );
});

describe('posting', () => {
  let server: Server;
  let port: number;
  let answer: (response: ServerResponse) => void;
  let requests = 0;
  beforeAll(async () => {
    server = createServer((_request, response) => {
      requests += 1;
      answer(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const post = (url: string, more: { allowPrivate?: boolean; maxBytes?: number; signal?: AbortSignal } = {}) =>
    postOutbound(url, '{}', {
      headers: {},
      allowPrivate: true,
      maxBytes: 100,
      signal: AbortSignal.timeout(5_000),
      ...more,
    });

  it.each(['127.0.0.1', '[::1]', 'localhost', '2130706433', '0x7f.1', '0', '169.254.169.254'])(
    'refuses %s before anything is sent',
    async (host) => {
      const refused = post(`https://${host}:${port}/`, { allowPrivate: false });
      await expect(refused).rejects.toThrow(OutboundRefused);
      expect(requests).toBe(0);
    },
  );

  it.each(['http://example.com/', 'ftp://example.com/', 'file:///etc/passwd'])('refuses %s', async (url) => {
    await expect(post(url, { allowPrivate: false })).rejects.toThrow(OutboundRefused);
  });

  it('gives the answer as it is, redirects too', async () => {
    answer = (response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end('moved');
    expect(await post(`http://localhost:${port}/`)).toMatchObject({ status: 302, text: 'moved' });
  });

  it('reads no more than it may, and no longer than it may', async () => {
    answer = (response) => response.end('x'.repeat(101));
    await expect(post(`http://127.0.0.1:${port}/`)).rejects.toThrow('larger than 100 bytes');
    answer = () => undefined;
    await expect(post(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(50) })).rejects.toThrow();
  });
});
