/** Odd urls over a real socket: what the framework refuses by itself reads like every other failure. */
import { Controller, Get, Module, Param, Post } from '@nestjs/common';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { authenticate, createLogger, createServerApp, type ServerApp } from './index.js';

@Controller()
class OddController {
  @Get('/v1/tool-calls/:id')
  get(@Param('id') id: string) {
    return { id };
  }

  @Post('/hooks/:agent')
  hook(@Param('agent') agent: string) {
    return { agent };
  }
}

@Module({ controllers: [OddController] })
class OddModule {}

let server: ServerApp;
beforeAll(async () => {
  server = await createServerApp(OddModule, {
    app: 'gateway',
    host: '127.0.0.1',
    port: 0,
    logger: createLogger({ name: 'test', level: 'silent' }),
    authenticator: authenticate({ keys: { find: async () => null } }),
    renderFailure: (error, { url }) => (url.includes('hooks') ? { status: 200, body: { refused: error.code } } : null),
  });
});
afterAll(() => server.close());

const long = 'a'.repeat(3_000);

it.each([
  ['GET', '/v1/tool-calls/%zz', 400, { error: { code: 'request.malformed', message: 'the url cannot be decoded' } }],
  ['GET', '/%zz', 400, { error: { code: 'request.malformed' } }],
  ['GET', `/v1/tool-calls/${long}`, 404, { error: { code: 'door.unknown' } }],
  ['POST', '/hooks/%zz', 200, { refused: 'request.malformed' }],
  ['POST', `/hooks/${long}`, 200, { refused: 'door.unknown' }],
  ['POST', '/hooks/a/b', 200, { refused: 'door.unknown' }],
  ['POST', '//hooks//claude-code', 201, { agent: 'claude-code' }],
  ['PUT', '//v1//tool-calls/x', 405, { error: { code: 'door.method' } }],
])('%s %.40s: %i', async (method, path, status, body) => {
  const answer = await fetch(server.url + path, { method });
  expect({ status: answer.status, body: await answer.json() }).toMatchObject({ status, body });
});
