/** How socket.io is served: websocket only, so that any replica may take any connection, and only for our own hosts. */
import type { IncomingMessage } from 'node:http';
import type { INestApplicationContext } from '@nestjs/common';
import { IoAdapter } from '@nestjs/platform-socket.io';

/** Where socket.io listens, by its own default. */
const SOCKET_PATH = '/socket.io/';

/** True for urls whose upgrades are socket.io's. */
export const isSocketUrl = (url: string): boolean => url.startsWith(SOCKET_PATH);

type CreateServer = IoAdapter['createIOServer'];
type Options = NonNullable<Parameters<CreateServer>[1]>;

export interface SocketAdapterOptions {
  /** Says whether the Host and Origin headers of a request are ours. */
  readonly isOurs: (headers: IncomingMessage['headers']) => boolean;
  /** A message beyond it cuts the connection without a word, so it lies above what is answered properly. */
  readonly maxMessageBytes: number;
}

export class SocketAdapter extends IoAdapter {
  constructor(
    app: INestApplicationContext,
    private readonly options: SocketAdapterOptions,
  ) {
    super(app);
  }

  override createIOServer(port: number, options?: Options): ReturnType<CreateServer> {
    const { isOurs, maxMessageBytes } = this.options;
    return super.createIOServer(port, {
      ...options,
      transports: ['websocket'],
      serveClient: false,
      path: SOCKET_PATH,
      // Other upgrades are answered as plain requests, which may take longer than socket.io would wait.
      destroyUpgrade: false,
      maxHttpBufferSize: maxMessageBytes,
      allowRequest: (request, decide) => decide(null, isOurs(request.headers)),
    } as Options);
  }
}
