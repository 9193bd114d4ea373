/** How socket.io is served: websocket only (any replica may take any connection), small messages, and only for our own hosts. */
import type { INestApplicationContext } from '@nestjs/common';
import { IoAdapter } from '@nestjs/platform-socket.io';
import type { IncomingMessage } from 'node:http';

type CreateServer = IoAdapter['createIOServer'];
type Options = NonNullable<Parameters<CreateServer>[1]>;

const MAX_MESSAGE_BYTES = 16 * 1024;

/** Says whether the Host and Origin headers of a request are ours. */
export type HostCheck = (headers: IncomingMessage['headers']) => boolean;

export class SocketAdapter extends IoAdapter {
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
