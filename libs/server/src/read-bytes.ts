/** Takes a request's bytes within the limit of one body and the budget of all bodies together. */
import type { Readable } from 'node:stream';
import { DoorError } from '@countersign/contracts';
import type { BodyShare } from './load/load-guard.js';

/** Largest body that is read. */
export const BODY_LIMIT = 32 * 1024 * 1024;
/** A body that is small stops counting once it was read: who waits is bounded elsewhere. */
const SMALL_BODY = 256 * 1024;

/** The connection ended before the body did: nobody is left to be answered, and no service of ours has failed. */
export class ClientLeft extends Error {
  constructor() {
    super('the client left before its body had arrived');
  }
}

export interface ReadBytes {
  readonly limit: number;
  /** What a client may go on sending beyond the limit before the connection is cut, as a multiple. */
  readonly drainLimit: number;
  /** Null: nothing is counted. */
  readonly share: BodyShare | null;
}

/**
 * The whole body, or a DoorError: `request.too_large`, `overloaded`; ClientLeft where it ends early. A body that is refused is still taken and thrown away, so that
 * the refusal arrives: a client that is cut off while it sends sees a broken connection instead. Listens for chunks, since an
 * iterator over a stream costs more than the rest of reading a small body.
 */
export function readBytes(stream: Readable, options: ReadBytes): Promise<Buffer> {
  const taking = startTaking(options);
  return new Promise((resolve, reject) => {
    let settled = false;
    const settle = (): void => {
      settled = true;
      try {
        resolve(taking.end());
      } catch (error) {
        reject(error as Error);
      }
    };
    const cut = (): void => {
      if (!settled) reject(new ClientLeft());
    };
    // A stream that is closed already tells nobody any more.
    if (stream.destroyed) return cut();
    stream.on('data', (chunk: Buffer) => {
      if (taking.add(chunk)) return;
      settle();
      stream.destroy();
    });
    stream.on('end', settle);
    stream.on('error', cut);
    stream.on('close', cut);
  });
}

interface Taking {
  /** False: nobody goes on reading as much as this. */
  add(chunk: Buffer): boolean;
  end(): Buffer;
}

function startTaking({ limit, drainLimit, share }: ReadBytes): Taking {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let refusal: DoorError | null = null;
  return {
    add: (chunk) => {
      bytes += chunk.length;
      if (bytes > limit * drainLimit) return false;
      refusal ??= bytes > limit ? new DoorError('request.too_large') : takeShare(share, chunk.length);
      if (refusal === null) chunks.push(chunk);
      else chunks.length = 0;
      if (bytes > limit) share?.release();
      return true;
    },
    end: () => {
      if (bytes > limit) throw new DoorError('request.too_large');
      if (refusal !== null) throw refusal;
      if (bytes <= SMALL_BODY) share?.release();
      const [first] = chunks;
      return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
    },
  };
}

function takeShare(share: BodyShare | null, bytes: number): DoorError | null {
  try {
    share?.take(bytes);
    return null;
  } catch (error) {
    if (error instanceof DoorError) return error;
    throw error;
  }
}
