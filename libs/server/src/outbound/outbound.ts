/** Requests that the house sends to addresses which people configured: bounded, never redirected, and kept off private networks. */
import { lookup } from 'node:dns/promises';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { isPrivateAddress } from './private-addresses.js';

export interface OutboundOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** The address may be private, and may be plain HTTP. */
  readonly allowPrivate: boolean;
  /** Most bytes of the answer that are read. */
  readonly maxBytes: number;
  /** Ends the request; there is no other time limit. */
  readonly signal: AbortSignal;
  /** Finds the addresses of a name; this machine's resolver unless given. */
  readonly resolve?: Resolve;
}

export type Resolve = (host: string) => Promise<readonly Address[]>;

export interface OutboundAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** This address is not to be reached from here; trying again changes nothing. */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused';
}

/** The answer is longer than what is read. */
export class OutboundTooLarge extends Error {
  override readonly name = 'OutboundTooLarge';
}

/** An IP address; `family` 4 or 6. */
export interface Address {
  readonly address: string;
  readonly family: number;
}

const resolveHere: Resolve = (host) => lookup(host, { all: true });

/**
 * Posts a text. Throws OutboundRefused for what may not be reached, OutboundTooLarge, and any other Error when it cannot be reached. The address
 * that was checked is the one that is connected to, so a name that changes its mind in between gains nothing.
 */
export async function postOutbound(url: string, body: string, options: OutboundOptions): Promise<OutboundAnswer> {
  const target = new URL(url);
  if (target.protocol !== 'https:' && !(options.allowPrivate && target.protocol === 'http:')) {
    throw new OutboundRefused('only https is allowed');
  }
  const address = await addressOf(target, options);
  return exchange(target, address, body, options);
}

async function addressOf(
  target: URL,
  { allowPrivate, signal, resolve = resolveHere }: OutboundOptions,
): Promise<Address> {
  const host = target.hostname.replace(/^\[|\]$/g, '');
  const found = isIP(host) ? [{ address: host, family: isIP(host) }] : await unlessAborted(resolve(host), signal);
  const [first] = found;
  if (first === undefined) throw new Error('the name has no address');
  // One private address among several is enough: the name is not a public one.
  if (!allowPrivate && found.some(({ address }) => isPrivateAddress(address))) {
    throw new OutboundRefused('the address is on a private network');
  }
  return first;
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new Error('given up'));
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}

function exchange(
  target: URL,
  { address, family }: Address,
  body: string,
  options: OutboundOptions,
): Promise<OutboundAnswer> {
  const request = target.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = request(
      target,
      {
        method: 'POST',
        headers: { ...options.headers, 'content-length': String(Buffer.byteLength(body)) },
        signal: options.signal,
        // A connection of its own: a kept one might lead to an address that was checked for somebody else.
        agent: false,
        lookup: (_host, wish, done) => {
          if (wish.all === true) (done as (error: null, all: Address[]) => void)(null, [{ address, family }]);
          else done(null, address, family);
        },
      },
      (response) => void readAnswer(response, options.maxBytes).then(resolve, reject),
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

async function readAnswer(response: IncomingMessage, maxBytes: number): Promise<OutboundAnswer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBytes) {
      response.destroy();
      throw new OutboundTooLarge(`is larger than ${maxBytes} bytes`);
    }
    parts.push(part);
  }
  return { status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(parts).toString('utf8') };
}
