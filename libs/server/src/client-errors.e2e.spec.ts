/** What is no HTTP, over real sockets: the one error form where an answer can still be read, and nothing of what was sent in the log. */
import { connect } from 'node:net';
import { Controller, Module, Post } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { authenticate, createLogger, createServerApp, type ServerApp } from './index.js';

@Controller()
class OddController {
  /** Slow enough that whatever stands behind a request is there before its answer. */
  @Post('/sign-in')
  async signIn() {
    await new Promise((wake) => setTimeout(wake, 60));
    return { ok: true };
  }
}

@Module({ controllers: [OddController] })
class OddModule {}

const lines: string[] = [];
let server: ServerApp;
beforeAll(async () => {
  server = await createServerApp(OddModule, {
    app: 'approver',
    host: '127.0.0.1',
    port: 0,
    logger: createLogger({ name: 'test', level: 'debug', stream: { write: (line) => void lines.push(line) } }),
    authenticator: authenticate({ keys: { find: async () => null } }),
  });
});
afterAll(() => server.close());
beforeEach(() => void lines.splice(0));

/** All that comes back until the connection ends; `end`: we send no more, as a client that is cut off. */
function exchange(text: string, { end = false } = {}): Promise<string> {
  return new Promise((resolve) => {
    let seen = '';
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => {
      if (end) socket.end(text);
      else socket.write(text);
    });
    socket.on('data', (chunk: Buffer) => (seen += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(seen));
  });
}

const post = (headers: string, body: string): string =>
  `POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`;
const statusesOf = (seen: string): number[] =>
  [...seen.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, code]) => Number(code));
const lastBody = (seen: string): unknown => JSON.parse(seen.slice(seen.lastIndexOf('\r\n\r\n') + 4));

it.each([
  ['no HTTP', 's3cret\r\n\r\n', [400], 'request.malformed'],
  ['a method that is none', 'S3CRET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n', [400], 'request.malformed'],
  ['no Host', 'GET /sign-in HTTP/1.1\r\nConnection: close\r\n\r\n', [403], 'auth.host'],
  ['a header that is none', 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\ns3 cret\r\n\r\n', [400], 'request.malformed'],
  [
    'headers that are too large',
    `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nx: s3cret${'x'.repeat(20_000)}\r\n\r\n`,
    [431],
    'request.headers_too_large',
  ],
  ['a length that is none', post('Content-Length: s3cret', '{}'), [400], 'request.malformed'],
  ['two lengths', post('Content-Length: 2\r\nContent-Length: 3', '{}'), [400], 'request.malformed'],
  ['a length and chunks', post('Content-Length: 2\r\nTransfer-Encoding: chunked', '{}'), [400], 'request.malformed'],
  ['a chunk that is none', post('Transfer-Encoding: chunked', 's3cret\r\n'), [400], 'request.malformed'],
  // The rest of the body is taken for the next request.
  ['a length below that of the body', post('Content-Length: 2', '{} s3cret\r\n\r\n'), [201, 400], 'request.malformed'],
])('%s', async (_name, text, statuses, code) => {
  const seen = await exchange(text);
  expect(statusesOf(seen).at(-1)).toBe(statuses.at(-1));
  expect(lastBody(seen)).toEqual({ error: { code, message: expect.any(String) } });
  expect(seen).not.toMatch(/s3cret/i);
  expect(lines.join('')).not.toMatch(/s3cret|"stack"|"level":50/i);
});

it('a length above that of the body, and then the end of the connection', async () => {
  const seen = await exchange(post('Content-Length: 20', '{"s3cret":'), { end: true });
  expect(lastBody(seen)).toMatchObject({ error: { code: 'request.malformed' } });
  expect(lines.join('')).not.toMatch(/s3cret|"stack"|"level":50/i);
});

it('what came whole before a broken request gets its own answer first', async () => {
  const whole = post('Content-Length: 2', '{}');
  const seen = await exchange(`${whole}${whole}s3cret\r\n\r\n`);
  expect(statusesOf(seen)).toEqual([201, 201, 400]);
  expect(seen.match(/"ok":true/g)).toHaveLength(2);
  expect(lastBody(seen)).toMatchObject({ error: { code: 'request.malformed' } });
});

describe('a request that offers another protocol', () => {
  // As soon as anybody listens, Node hands upgrades over.
  it.each([
    ['HTTP/2', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA'],
    ['none that there is', 'Upgrade: foo\r\nConnection: close, upgrade'],
    ['websocket, where none is', 'Connection: Upgrade\r\nUpgrade: websocket'],
  ])('is answered like any other: %s', async (_name, offer) => {
    const once = post(`Content-Length: 2\r\n${offer}`, '{}');
    const last = post('Content-Length: 2\r\nConnection: close', '{}');
    const seen = await exchange(offer.includes('close') ? once : `${once}${last}`);
    expect(statusesOf(seen)).toEqual(offer.includes('close') ? [201] : [201, 201]);
    expect(seen).toContain('{"ok":true}');
  });

  it('is told in our form where it wants a tunnel', async () => {
    const seen = await exchange('CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n');
    expect(statusesOf(seen)).toEqual([404]);
    expect(lastBody(seen)).toMatchObject({ error: { code: 'door.unknown' } });
  });
});
