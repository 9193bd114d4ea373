/** Replies on their way from a worker to a gateway: what an agent is told travels as sealed as what it asked. */
import { quickParser, replySchema, type Reply } from '@countersign/contracts';
import { z } from 'zod';
import type { Seal } from './seal.js';

const repliesSchema = z.array(replySchema);
const parseReplies = quickParser(repliesSchema);

/** The form in which replies travel over the bus. */
export function sealReplies(seal: Pick<Seal, 'seal'>, replies: readonly Reply[]): string {
  return seal.seal(JSON.stringify(replies));
}

/** Throws SealBroken for what was sealed with another key, and for what is no list of replies. */
export function openReplies(seal: Pick<Seal, 'open'>, sealed: string): Reply[] {
  const parsed = parseReplies(JSON.parse(seal.open(sealed)));
  if (parsed.success) return parsed.data;
  throw parsed.error;
}
