/** Reads a hook's body whatever its type or size: an agent must get its answer, not an error of HTTP. */
import type { Readable } from 'node:stream';
import { DoorError } from '@countersign/contracts';
import { BODY_LIMIT, readBytes, type BodyShare } from '@countersign/server';

export type HookBody =
  | { readonly state: 'read'; readonly text: string }
  | { readonly state: 'too_large' }
  /** There is no room for it beside the bodies that are being read. */
  | { readonly state: 'overloaded' }
  /** The bytes are not UTF-8, or the client stopped sending. */
  | { readonly state: 'broken' };

/** What is taken and thrown away beyond the limit, as a multiple: a client that is cut off sees no refusal, and runs its tool. */
const DRAIN_LIMIT = 8;

/** Never throws. `share`: of the budget for all bodies; null: nothing is counted. */
export async function readHookBody(stream: Readable, share: BodyShare | null): Promise<HookBody> {
  try {
    return decode(await readBytes(stream, { limit: BODY_LIMIT, drainLimit: DRAIN_LIMIT, share }));
  } catch (error) {
    const code = error instanceof DoorError ? error.code : null;
    return { state: code === 'request.too_large' ? 'too_large' : code === 'overloaded' ? 'overloaded' : 'broken' };
  }
}

function decode(bytes: Buffer): HookBody {
  try {
    return { state: 'read', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { state: 'broken' };
  }
}
