/** Reads request bodies: strict UTF-8, strict JSON, bounded, and taken to the end so that the refusal arrives. */
import type { Readable } from 'node:stream';
import { DoorError, inspectJson, type InspectedJson } from '@countersign/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Largest body that is read. */
export const BODY_LIMIT = 32 * 1024 * 1024;
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
    const inspected = readJson(await readText(payload, options.bodyLimit));
    if (!options.lenientRoutes.includes(route)) refuseFlaws(inspected);
    request.inspected = inspected;
    return inspected?.value;
  });
}

async function readText(payload: Readable, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of payload as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= limit) chunks.push(chunk);
    else if (bytes > limit * DRAIN_LIMIT) break;
    else chunks.length = 0;
  }
  if (bytes > limit) throw new DoorError('request.too_large');
  return decode(Buffer.concat(chunks));
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new DoorError('request.malformed', 'the request body is not valid UTF-8');
  }
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
  const message = `the request body has a flaw: ${flaw.problem.replaceAll('_', ' ')}`;
  throw new DoorError('request.malformed', message, { problem: flaw.problem, path: flaw.path.slice(0, 20) });
}
