/** Reads `channels.yaml`: which channels are set up, with secrets that stand in it or are named as `env:NAME`. */
import { readFile } from 'node:fs/promises';
import { channelSettingsSchema, type ChannelSettings } from '@countersign/approver';
import { fileProblem } from '@countersign/contracts';
import { parse, YAMLParseError } from 'yaml';
import { z } from 'zod';

/** What the approver is given. */
export interface LoadedChannels {
  readonly channels: ChannelSettings;
  /** Without a final slash; null: cards have no links. */
  readonly consoleUrl: string | null;
}

export type ChannelsResult =
  { readonly ok: true; readonly loaded: LoadedChannels } | { readonly ok: false; readonly problems: readonly string[] };

const REFERENCE = /^env:([A-Za-z_][A-Za-z0-9_]*)$/;

const consoleUrlSchema = z
  .url({ protocol: /^https?$/, error: 'must begin with https:// or http://' })
  .transform((url) => url.replace(/\/+$/, ''))
  .nullable()
  .default(null);

const fileSchema = z
  .object({ consoleUrl: consoleUrlSchema, channels: channelSettingsSchema })
  .refine(({ consoleUrl, channels }) => channels.email.length === 0 || consoleUrl !== null, {
    path: ['consoleUrl'],
    message: 'is needed for email: mails link to the page',
  });

/**
 * No file: no channels, unless somebody named this very file (`named`): then it is a mistake. INVARIANT: a problem names the place and
 * never the value, which may be a secret. `variables`: where `env:NAME` is looked up.
 */
export async function loadChannels(
  path: string,
  variables: Readonly<Record<string, string | undefined>>,
  { named = false }: { readonly named?: boolean } = {},
): Promise<ChannelsResult> {
  const file = await readFile(path, 'utf8').catch((error: unknown) => ({ error }));
  const unread = typeof file !== 'string' && (named || !isAbsent(file.error));
  if (unread) return { ok: false, problems: [`${path}: ${fileProblem(file.error)}`] };
  const read = readYaml(typeof file === 'string' ? file : '');
  if (typeof read === 'string') return { ok: false, problems: [`${path}: ${read}`] };
  const missing: string[] = [];
  const resolved = resolveReferences(read, variables, { at: '', missing }) as Record<string, unknown>;
  if (missing.length > 0) return { ok: false, problems: missing.map((problem) => `${path}: ${problem}`) };
  const { consoleUrl, ...channels } = resolved;
  const settings = fileSchema.safeParse({ consoleUrl, channels });
  if (settings.success) return { ok: true, loaded: settings.data };
  const lines = settings.error.issues.map(({ path: at, message }) => `${placeOf(at)}: ${message}`);
  return { ok: false, problems: lines.map((line) => `${path}: ${line}`) };
}

const isAbsent = (error: unknown): boolean => (error as { code?: unknown }).code === 'ENOENT';

/** As the file has it: channels stand beside the address, not below a name of their own. */
function placeOf(at: readonly PropertyKey[]): string {
  return at
    .filter((key, index) => index > 0 || key !== 'channels')
    .map(String)
    .join('.');
}

/** The object of the file, or what is wrong with it. */
function readYaml(text: string): Record<string, unknown> | string {
  try {
    const value: unknown = parse(text, { maxAliasCount: 10 }) ?? {};
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    return 'must hold `slack`, `webhook`, `email` and `consoleUrl`';
  } catch (error) {
    // Only where it is: the parser's own message shows the line, which may hold a secret.
    const line = error instanceof YAMLParseError ? error.linePos?.[0].line : undefined;
    return line === undefined ? 'is no YAML' : `line ${line} is no YAML`;
  }
}

interface Place {
  readonly at: string;
  readonly missing: string[];
}

function resolveReferences(
  value: unknown,
  variables: Readonly<Record<string, string | undefined>>,
  { at, missing }: Place,
): unknown {
  const below = (key: string | number, item: unknown): unknown =>
    resolveReferences(item, variables, { at: at === '' ? String(key) : `${at}.${key}`, missing });
  if (Array.isArray(value)) return value.map((item, index) => below(index, item));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, below(key, item)]));
  }
  const name = typeof value === 'string' ? REFERENCE.exec(value)?.[1] : undefined;
  if (name === undefined) return value;
  const found = variables[name];
  if (found === undefined || found === '') missing.push(`${at}: the variable ${name} is not set`);
  return found;
}
