/** Asks a Redis how much memory it uses, over a plain socket. */
import { connect } from 'node:net';

/** Bytes, as `used_memory` says. */
export function usedMemory(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('INFO memory\r\n'));
    let text = '';
    socket.setTimeout(5_000, () => socket.destroy(new Error('Redis does not answer')));
    socket.on('error', reject);
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const found = /^used_memory:(\d+)\r$/m.exec(text)?.[1];
      if (found === undefined) return;
      socket.destroy();
      resolve(Number(found));
    });
  });
}
