/** One-time sign-in codes: a signed note that says whose key it stands for and until when. Single use is kept by the ledger. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

const PURPOSE = 'countersign sign-in code v1';
const LIFETIME_SECONDS = 10 * 60;

const noteSchema = z.object({ keyHash: z.string(), expires: z.number(), nonce: z.string() });
/** What a code says. `keyHash` is the SHA-256 (hex) of the key it stands for, `expires` milliseconds since 1970. */
export type SignInNote = z.infer<typeof noteSchema>;

/** What a code is made from. `cookieSecret` is the approver's own secret; `lifetimeSeconds` is ten minutes if absent. */
export interface SignInCodeInput {
  readonly cookieSecret: string;
  readonly keyHash: string;
  readonly now: number;
  readonly lifetimeSeconds?: number;
}

/** Makes a code for `/sign-in#code=…`. Whoever holds it may sign in once, as the person of the key. */
export function createSignInCode(input: SignInCodeInput): string {
  const lifetime = (input.lifetimeSeconds ?? LIFETIME_SECONDS) * 1_000;
  const note: SignInNote = {
    keyHash: input.keyHash,
    expires: input.now + lifetime,
    nonce: randomBytes(16).toString('base64url'),
  };
  const text = Buffer.from(JSON.stringify(note)).toString('base64url');
  return `${text}.${sign(text, input.cookieSecret)}`;
}

/** Reads a code that we signed and that is still in time; null for every other text. */
export function readSignInCode(code: string, cookieSecret: string, now: number): SignInNote | null {
  const [text, signature, ...rest] = code.split('.');
  if (text === undefined || signature === undefined || rest.length > 0) return null;
  if (!equal(signature, sign(text, cookieSecret))) return null;
  const note = noteSchema.safeParse(parseJson(Buffer.from(text, 'base64url').toString('utf8')));
  return note.success && note.data.expires > now ? note.data : null;
}

function sign(text: string, secret: string): string {
  return createHmac('sha256', secret).update(`${PURPOSE}\n${text}`).digest('base64url');
}

function equal(left: string, right: string): boolean {
  const a = Buffer.from(left);
  const b = Buffer.from(right);
  return a.length === b.length && timingSafeEqual(a, b);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
