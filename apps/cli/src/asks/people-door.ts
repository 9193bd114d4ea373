/** The people's door as the terminal uses it: who is asked, with which key, and what came back. */
import { randomUUID } from 'node:crypto';
import { askViewSchema, errorBodySchema, type AskView } from '@countersign/contracts';
import { z } from 'zod';
import type { CliEnv } from '../env.js';
import { readEndpoints } from '../home/endpoints.js';
import { homeLayout } from '../home/layout.js';

const TIMEOUT_MS = 30_000;
const PAGE = 200;

/** Base URL without a final slash, and the key of whoever sits here. */
export interface PeopleDoor {
  readonly url: string;
  readonly token: string;
  /** Where the key was taken from, in words. */
  readonly keyFrom: string;
  /** How to come to another key that is there already; null: there is none for this service. */
  readonly remedy: string | null;
}

/** `COUNTERSIGN_CONSOLE_URL` and `COUNTERSIGN_TOKEN`, else the home's. A string says what is missing. */
export async function findDoor(env: CliEnv): Promise<PeopleDoor | string> {
  const { endpoints } = homeLayout(env.home);
  const known = await readEndpoints(endpoints);
  const url = env.consoleUrl ?? known?.console;
  // The home's key goes to the home's own service only.
  const token = env.token ?? (env.consoleUrl === null ? known?.approverKey : undefined);
  if (url === undefined) return `no service is known in ${env.home}: set COUNTERSIGN_CONSOLE_URL or COUNTERSIGN_HOME`;
  if (token === undefined) return 'no key: set COUNTERSIGN_TOKEN to the key of an approver';
  const keyFrom = env.token === null ? endpoints : 'COUNTERSIGN_TOKEN';
  return { url: url.replace(/\/+$/, ''), token, keyFrom, remedy: remedyFor(env, known?.approverKey) };
}

/** `own`: the home's key, which its own service alone is given. */
function remedyFor({ token, consoleUrl }: CliEnv, own: string | undefined): string | null {
  const helps = own !== undefined && consoleUrl === null && token !== null && token !== own;
  return helps ? 'unset COUNTERSIGN_TOKEN to use the key of this home' : null;
}

/** True for refusals of the key itself, whatever was asked. */
export function isKeyRefusal(code: string): boolean {
  return code.startsWith('auth.');
}

/** What is needed instead of a key that was refused, and where the refused one came from; never the key. */
export function keyLine(message: string, code: string, { keyFrom, remedy }: PeopleDoor): string {
  const needed = remedy ?? 'set COUNTERSIGN_TOKEN to the key of an approver';
  return `${message} (${code}): the key was taken from ${keyFrom}; ${needed}`;
}

/** `refused`: the door said no, and why. `unreachable`: nobody said anything that we understand. */
export type Told<T> =
  | { readonly kind: 'told'; readonly value: T }
  | {
      readonly kind: 'refused';
      readonly code: string;
      readonly message: string;
      readonly details: Record<string, unknown>;
    }
  | { readonly kind: 'unreachable'; readonly reason: string };

const pageSchema = z.object({ items: z.array(askViewSchema), next: z.string().nullable() });
const answeredSchema = z.object({ ask: askViewSchema });

/** Open asks, the oldest first. */
export async function openAsks(door: PeopleDoor): Promise<Told<AskView[]>> {
  const found: AskView[] = [];
  let cursor = '';
  for (;;) {
    const page = await request(door, `/v1/asks?status=open&limit=${PAGE}${cursor}`, pageSchema);
    if (page.kind !== 'told') return page;
    found.push(...page.value.items);
    if (page.value.next === null) return { kind: 'told', value: found.reverse() };
    cursor = `&cursor=${encodeURIComponent(page.value.next)}`;
  }
}

export function getAsk(door: PeopleDoor, id: string): Promise<Told<AskView>> {
  return request(door, `/v1/asks/${encodeURIComponent(id)}`, askViewSchema);
}

/** The ask as it stands after the answer. Sent again by itself once when the connection broke: it counts once. */
export async function sendAnswer(door: PeopleDoor, id: string, body: object): Promise<Told<AskView>> {
  const path = `/v1/asks/${encodeURIComponent(id)}/answer`;
  const key = randomUUID();
  const first = await request(door, path, answeredSchema, { body, key });
  const told = first.kind === 'unreachable' ? await request(door, path, answeredSchema, { body, key }) : first;
  return told.kind === 'told' ? { kind: 'told', value: told.value.ask } : told;
}

async function request<T>(
  { url, token }: PeopleDoor,
  path: string,
  schema: z.ZodType<T>,
  post?: { readonly body: object; readonly key: string },
): Promise<Told<T>> {
  try {
    const response = await fetch(`${url}${path}`, {
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { authorization: `Bearer ${token}`, 'x-countersign-channel': 'cli', ...contentOf(post) },
      ...(post === undefined ? {} : { method: 'POST', body: JSON.stringify(post.body) }),
    });
    return read(await response.json(), schema, response.ok);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) {
      return { kind: 'unreachable', reason: `${url} does not answer as the people's door does: is it another one?` };
    }
    const { message, cause } = error as { message?: string; cause?: { message?: string } };
    return { kind: 'unreachable', reason: `${url} does not answer: ${cause?.message ?? message ?? 'failed'}` };
  }
}

function contentOf(post: { readonly key: string } | undefined): Record<string, string> {
  return post === undefined ? {} : { 'content-type': 'application/json', 'idempotency-key': post.key };
}

function read<T>(body: unknown, schema: z.ZodType<T>, ok: boolean): Told<T> {
  if (ok) return { kind: 'told', value: schema.parse(body) };
  const { code, message, details = {} } = errorBodySchema.parse(body).error;
  return { kind: 'refused', code, message, details };
}
