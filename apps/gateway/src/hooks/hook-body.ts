/** Reads a hook's body whatever its type or size: an agent must get its answer, not an error of HTTP. */
import type { Readable } from 'node:stream';

export type HookBody =
  | { readonly state: 'read'; readonly text: string }
  | { readonly state: 'too_large' }
  /** The bytes are not UTF-8, or the client stopped sending. */
  | { readonly state: 'broken' };

/** Largest body that is read. */
export const MAX_HOOK_BYTES = 32 * 1024 * 1024;
/** What is taken and thrown away beyond it, as a multiple. */
const DRAIN_LIMIT = 8;

/**
 * A body beyond the limit is still taken and thrown away: a client that is cut off while it sends sees a broken connection
 * instead of the refusal, and runs its tool.
 */
export async function readHookBody(stream: Readable): Promise<HookBody> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes <= MAX_HOOK_BYTES) chunks.push(chunk);
      else if (bytes > MAX_HOOK_BYTES * DRAIN_LIMIT) break;
      else chunks.length = 0;
    }
  } catch {
    return { state: 'broken' };
  }
  if (bytes > MAX_HOOK_BYTES) return { state: 'too_large' };
  return decode(Buffer.concat(chunks));
}

function decode(bytes: Buffer): HookBody {
  try {
    return { state: 'read', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { state: 'broken' };
  }
}
