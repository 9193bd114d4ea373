/** Requests that offer another protocol, as HTTP clients do on their own (`Upgrade: h2c`): answered like any other. */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { DoorError } from '@countersign/contracts';
import { answerText } from './client-errors.js';

/** Of an offer, and of one hop only: they are left out. */
const OFFERS = new Set(['upgrade', 'http2-settings']);

/**
 * Once anybody waits for upgrades, Node hands over every request that offers one, unread, and nobody else answers it. `isSocket` tells
 * the urls whose upgrades are taken elsewhere.
 */
export function answerUpgrades(server: Server, isSocket: (url: string) => boolean): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, begun: Buffer) => {
    if (isSocket(request.url ?? '')) return;
    // The same request, without the offer, from the start of the connection.
    socket.unshift(Buffer.concat([Buffer.from(headWithoutOffer(request), 'latin1'), begun]));
    server.emit('connection', socket);
  });
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    socket.end(answerText(new DoorError('door.unknown')));
  });
}

function headWithoutOffer({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    const kept = /^connection$/i.test(name) ? withoutOffers(value) : value;
    if (!OFFERS.has(name.toLowerCase()) && kept !== '') lines.push(`${name}: ${kept}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function withoutOffers(options: string): string {
  const kept = options.split(',').filter((option) => !OFFERS.has(option.trim().toLowerCase()));
  return kept.join(',').trim();
}
