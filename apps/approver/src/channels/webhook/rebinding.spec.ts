/** A name that answers with a public address when it is checked and with a private one afterwards leads nowhere inside. */
import { Socket } from 'node:net';
import { afterEach, expect, it, jest } from '@jest/globals';
import type { Address } from '@countersign/server';
import type { OutgoingCard } from '../channel.js';
import { webhookChannel, type WebhookDeps } from './webhook-channel.js';

const PUBLIC: Address = { address: '93.184.215.14', family: 4 };
const INSIDE: Address = { address: '127.0.0.1', family: 4 };

const settings = {
  tenantId: 'acme',
  name: 'relay',
  url: 'https://relay.example/hook',
  secrets: [`whsec_${'a'.repeat(32)}`],
  allowPrivate: false,
  revision: 1,
};

/** Addresses that sockets were about to connect to. None of them does: nothing leaves this machine. */
function watchConnections(): string[] {
  const went: string[] = [];
  jest.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...given: unknown[]) {
    const { host, lookup } = (Array.isArray(given[0]) ? given[0][0] : given[0]) as {
      host: string;
      lookup: (host: string, wish: object, done: (error: null, found: readonly Address[]) => void) => void;
    };
    lookup(host, { all: true }, (_error, found) => went.push(...found.map(({ address }) => address)));
    setImmediate(() => this.destroy(new Error('not connected')));
    return this;
  });
  return went;
}

afterEach(() => {
  jest.restoreAllMocks();
});

it('connects to the address that was checked, and checks anew at the next attempt', async () => {
  const answers = [[PUBLIC], [INSIDE]];
  let asked = 0;
  const resolve = async (): Promise<readonly Address[]> => answers[asked++] ?? [INSIDE];
  const went = watchConnections();
  const ledger = { closedTargets: { find: async () => null, close: async () => undefined } };
  const channel = webhookChannel('acme', [settings], { ledger, resolve, consoleUrl: null } as unknown as WebhookDeps);
  const card = { deliveryId: '1', kind: 'card', tenantId: 'acme', target: 'relay', approvable: true } as const;
  const ask = { id: 'ask_1', version: 1, sessionId: 's', agent: 'a', tool: 'Bash', args: '{}' };
  const outgoing = { ...card, ask, card: { title: 'Bash', text: 'a card' } } as unknown as OutgoingCard;
  await expect(channel.send(outgoing)).rejects.toMatchObject({ problem: 'the webhook does not answer' });
  expect([asked, went]).toEqual([1, [PUBLIC.address]]);
  await expect(channel.send(outgoing)).rejects.toMatchObject({
    problem: 'the webhook is not reached: the address is on a private network',
    options: { final: true },
  });
  expect([asked, went]).toEqual([2, [PUBLIC.address]]);
});

it('is refused when one of several addresses is private, whichever comes first', async () => {
  const went = watchConnections();
  const ledger = { closedTargets: { find: async () => null } };
  const resolve = async (): Promise<readonly Address[]> => [PUBLIC, INSIDE];
  const channel = webhookChannel('acme', [settings], { ledger, resolve, consoleUrl: null } as unknown as WebhookDeps);
  const ask = { id: 'ask_1', version: 1, sessionId: 's', agent: 'a', tool: 'Bash', args: '{}' };
  const outgoing = { target: 'relay', kind: 'card', ask, card: { title: 'Bash', text: 'a card' } };
  await expect(channel.send(outgoing as unknown as OutgoingCard)).rejects.toThrow('private network');
  expect(went).toEqual([]);
});
