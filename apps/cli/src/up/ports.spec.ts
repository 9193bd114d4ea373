/** Places that cannot be listened on, tried on real sockets: one line each, with the variable to change. */
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { cannotListen } from '@countersign/server';
import { explainPorts } from './ports.js';

const doors = (host: string, ports: readonly [number, number] = [0, 0]) =>
  explainPorts([
    { variable: 'GATEWAY_PORT', host, port: ports[0] },
    { variable: 'APPROVER_PORT', host, port: ports[1] },
    { variable: 'COUNTERSIGN_PG_PORT', host: '127.0.0.1', port: 0 },
  ]);

describe('places to listen', () => {
  it('are fine where they are', async () => {
    expect(await doors('127.0.0.1')).toEqual([]);
    expect(await doors('0.0.0.0')).toEqual([]);
  });

  it('are told once, by HOST, where the address is none of ours', async () => {
    expect(await doors('203.0.113.9')).toEqual(['HOST: 203.0.113.9 is not an address of this machine']);
  });

  it.each(['no.such.invalid', '127.0.0.1:4610', '999.1.1.1'])('blame HOST for %s', async (host) => {
    const [line, ...more] = await doors(host);
    expect(more).toEqual([]);
    expect(line).toMatch(
      /^HOST: \S+ is no address(, and its name cannot be looked up now| and no known host name: .+)$/,
    );
    expect(line).toContain(host);
  });

  it('blame the port that is taken', async () => {
    const other = createServer();
    const port = await new Promise<number>((settle) =>
      other.listen(0, '127.0.0.1', () => settle((other.address() as AddressInfo).port)),
    );
    expect(await doors('127.0.0.1', [0, port])).toEqual([
      `APPROVER_PORT: 127.0.0.1:${port} is taken by another program: end it or choose another port`,
    ]);
    await new Promise((settle) => other.close(settle));
  });

  it('are not shared by two doors of ours', async () => {
    expect(await doors('127.0.0.1', [4_999, 4_999])).toEqual([
      'APPROVER_PORT: 4999 is GATEWAY_PORT already: each needs a port of its own',
    ]);
  });
});

describe('what the system says', () => {
  it.each([
    ['EACCES', '::1', 'port', '[::1]:80 needs more rights: choose a port above 1023'],
    ['EADDRNOTAVAIL', '::2', 'host', '::2 is not an address of this machine'],
    ['EAFNOSUPPORT', '::1', 'host', '::1 is of a kind of addresses that this machine does not have'],
    [
      'ENOTFOUND',
      'a\nb',
      'host',
      '"a\\nb" is no address and no known host name: give an address alone, such as 127.0.0.1',
    ],
  ])('%s on %j is the fault of the %s', (code, host, blames, message) => {
    const error = Object.assign(new Error('listen'), { code });
    expect(cannotListen({ host, port: 80 }, error)).toMatchObject({ blames, message, cause: error });
  });

  it('is left alone where no operator can mend it', () => {
    expect(cannotListen({ host: '::1', port: 1 }, new Error('boom'))).toBeNull();
    expect(cannotListen({ host: '::1', port: 1 }, null)).toBeNull();
  });
});
