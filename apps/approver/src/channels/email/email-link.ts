/** The signed link of one mail: which ask and version it showed, and to which address it was sent. It proves nothing about who opens it. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

const PURPOSE = 'countersign email link v1';

const noteSchema = z.object({
  tenantId: z.string(),
  askId: z.string(),
  version: z.number().int().positive(),
  address: z.string(),
});
/** What a link says. `address`: the mailbox, in lower case. */
export type EmailNote = z.infer<typeof noteSchema>;

/** `secret`: the approvers' cookie secret; another secret makes every older link void. */
export function emailToken(note: EmailNote, secret: string): string {
  const text = Buffer.from(JSON.stringify(note)).toString('base64url');
  return `${text}.${sign(text, secret)}`;
}

/** Null for every text that we did not make. */
export function readEmailToken(token: string, secret: string): EmailNote | null {
  const [text, signature, ...rest] = token.split('.');
  if (text === undefined || signature === undefined || rest.length > 0) return null;
  const [given, right] = [Buffer.from(signature), Buffer.from(sign(text, secret))];
  if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
  return noteSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
}

function sign(text: string, secret: string): string {
  return createHmac('sha256', secret).update(`${PURPOSE}\n${text}`).digest('base64url');
}
