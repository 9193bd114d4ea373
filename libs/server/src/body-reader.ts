/** Reads request bodies: strict UTF-8, strict JSON, bounded, and taken to the end so that the refusal arrives. */
import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { DoorError, inspectJson, jsonProblemText, type InspectedJson } from '@countersign/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { BodyShare } from './load/load-guard.js';
import { readBytes } from './read-bytes.js';

/** What a client may go on sending beyond the limit before the connection is cut. */
const DRAIN_LIMIT = 4;

export interface BodyOptions {
  readonly bodyLimit: number;
  /** Routes (as registered) whose body stays an unread stream: their controllers read `request.raw`. */
  readonly rawRoutes: readonly string[];
  /** Routes whose controllers judge the flaws of the body themselves; elsewhere every flaw is `request.malformed`. */
  readonly lenientRoutes: readonly string[];
}

/** Takes the place of Fastify's own parsers: every body counts as JSON, whatever its content type says. */
export function installBodyReader(fastify: FastifyInstance, options: BodyOptions): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    const route = request.routeOptions.url ?? '';
    if (options.rawRoutes.includes(route)) return undefined;
    const inspected = await readJsonBody(payload, request.bodyShare, options.bodyLimit);
    if (!options.lenientRoutes.includes(route)) refuseFlaws(inspected);
    request.inspected = inspected;
    return inspected?.value;
  });
}

/** The inspected body, null for an empty one. `share`: its part of the budget for bodies. */
export async function readJsonBody(
  payload: Readable,
  share: BodyShare | null,
  limit: number,
): Promise<InspectedJson | null> {
  return readJson(decode(await readBytes(payload, { limit, drainLimit: DRAIN_LIMIT, share })));
}

function decode(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new DoorError('request.malformed', 'the request body is not valid UTF-8');
  // A byte order mark is no part of the text.
  return bytes.toString('utf8', hasMark(bytes) ? 3 : 0);
}

function hasMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** Null for an empty body. */
function readJson(text: string): InspectedJson | null {
  if (text.trim() === '') return null;
  const inspected = inspectJson(text);
  if (!inspected.ok) throw new DoorError('request.malformed');
  return inspected;
}

function refuseFlaws(inspected: InspectedJson | null): void {
  const flaw = inspected?.problems[0];
  if (!flaw) return;
  const message = `the request body has a flaw: ${jsonProblemText(flaw.problem)}`;
  throw new DoorError('request.malformed', message, { problem: flaw.problem, path: flaw.path.slice(0, 20) });
}
