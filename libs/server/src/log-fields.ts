/** What a log line may hold: listed fields with short plain values, and errors cut down to what tells of a bug. */

import { createRedactor } from '@countersign/redaction';

const FIELDS: ReadonlySet<string> = new Set([
  ...['reqId', 'method', 'route', 'status', 'ms', 'refused', 'cause', 'code', 'context', 'leftOut'],
  ...['keyId', 'tenantId', 'sessionId', 'callId', 'askId', 'personId', 'jobId', 'workerId', 'gatewayId'],
  ...['service', 'failures', 'queue', 'count', 'url', 'port', 'event', 'minutes', 'name', 'part'],
]);
const LONGEST = 500;
const LONGEST_STACK = 4_000;
const CENSORED = '[redacted]';

/** Of an object that is to be logged. A field that is not listed keeps its name only. */
export function writableFields(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, writable(name, value)]));
}

function writable(name: string, value: unknown): unknown {
  if (name === 'err') return errorFields(value);
  if (!FIELDS.has(name)) return CENSORED;
  if (typeof value === 'string') return withoutSecrets(value).slice(0, LONGEST);
  return typeof value === 'number' || typeof value === 'boolean' || value === null || value === undefined
    ? value
    : CENSORED;
}

/** Drivers hang statements, parameters and rows on their errors: only the class, the code, the text and the stack are written. */
function errorFields(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return CENSORED;
  const { name, code, message, stack } = error as Record<string, unknown>;
  return {
    type: typeof name === 'string' ? name.slice(0, LONGEST) : 'Error',
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    message: typeof message === 'string' ? withoutSecrets(message).slice(0, LONGEST) : '',
    ...(typeof stack === 'string' ? { stack: withoutSecrets(stack).slice(0, LONGEST_STACK) } : {}),
  };
}

/** Longer texts are cut before they are searched. */
const LONGEST_SEARCHED = 16_384;

/** A text of a log line: what the rules of redaction know is taken out, without a tag, since a log has no key. */
export function withoutSecrets(text: string): string {
  return createRedactor(() => '0000').text(text.slice(0, LONGEST_SEARCHED));
}
