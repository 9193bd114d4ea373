/** Whoever runs a sequence's tools: takes allowed calls up by their permits, and listens on the agents' line for what ends them. */
import { io, type Socket } from 'socket.io-client';
import { send } from '../system/doors.js';

interface CancelNotice {
  readonly calls: readonly { readonly id: string; readonly interrupt: 'cancel' | 'block' }[];
}

interface Allowed {
  readonly permit: string;
  readonly tool: string;
  readonly args: unknown;
  readonly cwd: string;
}

export class Executor {
  /** Our ids of calls that were told to stop at once. */
  readonly interrupted = new Set<string>();

  private constructor(
    private readonly gateway: string,
    private readonly key: string,
    private readonly line: Socket,
  ) {
    line.on('cancel', ({ calls }: CancelNotice) => {
      for (const { id, interrupt } of calls) if (interrupt === 'cancel') this.interrupted.add(id);
    });
  }

  /** Connected, and watching the session. */
  static async open(gateway: string, key: string, sessionId: string): Promise<Executor> {
    const line = io(`${gateway}/agents`, { transports: ['websocket'], auth: { token: key }, reconnection: false });
    await connected(line);
    const executor = new Executor(gateway, key, line);
    const watched: unknown = await line.emitWithAck('watch', { sessionId });
    if (typeof watched !== 'object' || watched === null || !('line' in watched)) {
      throw new Error(`the session cannot be watched: ${JSON.stringify(watched)}`);
    }
    return executor;
  }

  /** From now on the call runs. */
  async takeUp(call: Allowed): Promise<void> {
    const answer = await send(`${this.gateway}/v1/permits/redeem`, { key: this.key, body: call });
    if (answer.status !== 200) throw new Error(`the permit was refused: ${JSON.stringify(answer.body)}`);
  }

  close(): void {
    this.line.close();
  }
}

function connected(line: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    line.once('connect', resolve);
    line.once('connect_error', reject);
  });
}
