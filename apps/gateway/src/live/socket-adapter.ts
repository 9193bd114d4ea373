/** How socket.io is served to agents: websocket only, so that any gateway may take any connection, and only for our own hosts. */
import type { INestApplicationContext } from '@nestjs/common';
import { IoAdapter } from '@nestjs/platform-socket.io';
import { BODY_LIMIT } from '@countersign/server';
import type { IncomingMessage } from 'node:http';

type CreateServer = IoAdapter['createIOServer'];
type Options = NonNullable<Parameters<CreateServer>[1]>;

/** Above our own limit for bodies, since a message beyond this one cuts the connection without a word. */
const MAX_MESSAGE_BYTES = BODY_LIMIT + 1024 * 1024;

/** Says whether the Host and Origin headers of a request are ours. */
export type HostCheck = (headers: IncomingMessage['headers']) => boolean;

export class AgentSocketAdapter extends IoAdapter {
  constructor(
    app: INestApplicationContext,
    private readonly isOurs: HostCheck,
  ) {
    super(app);
  }

  override createIOServer(port: number, options?: Options): ReturnType<CreateServer> {
    return super.createIOServer(port, {
      ...options,
      transports: ['websocket'],
      serveClient: false,
      maxHttpBufferSize: MAX_MESSAGE_BYTES,
      allowRequest: (request, decide) => decide(null, this.isOurs(request.headers)),
    } as Options);
  }
}
