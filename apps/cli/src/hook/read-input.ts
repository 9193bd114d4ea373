/** Reads what the agent wrote to a hook's standard input, bounded in size. */
import type { Readable } from 'node:stream';

/** Larger than any body that the gateway reads. */
export const MAX_INPUT_BYTES = 32 * 1024 * 1024;

export type HookBody = {
  readonly text: string;
  readonly event: string | null;
  readonly value: Record<string, unknown>;
};
export type ReadInputResult = { ok: true; body: HookBody } | { ok: false; reason: string };

/** The whole input as text together with its parsed form; the text is what travels on, so that nothing is lost on the way. */
export async function readInput(input: Readable): Promise<ReadInputResult> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk as string);
    size += bytes.length;
    if (size > MAX_INPUT_BYTES) return { ok: false, reason: 'the hook input is larger than 32 MB' };
    chunks.push(bytes);
  }
  return parseInput(Buffer.concat(chunks).toString('utf8'));
}

/** Parses hook input. `event` is null when the input names none. */
export function parseInput(text: string): ReadInputResult {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, reason: 'the hook input is not valid JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, reason: 'the hook input is not a JSON object' };
  }
  const fields = value as Record<string, unknown>;
  const event = typeof fields.hook_event_name === 'string' ? fields.hook_event_name : null;
  return { ok: true, body: { text, event, value: fields } };
}

/**
 * Adds our own member to the text of a JSON object without touching the rest: parsing and printing it again would hide
 * duplicate keys and round large integers before the gateway sees them.
 */
export function withMember(objectText: string, name: string, value: unknown): string {
  const open = objectText.indexOf('{');
  const rest = objectText.slice(open + 1);
  const comma = rest.trimStart().startsWith('}') ? '' : ',';
  return `{${JSON.stringify(name)}:${JSON.stringify(value)}${comma}${rest}`;
}
