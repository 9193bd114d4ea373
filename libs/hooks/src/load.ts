/** Reads the hook file of an installation: checks every entry, loads modules and secrets, and says in one line each what is wrong. */
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fileProblem } from '@countersign/contracts';
import { parse, YAMLParseError } from 'yaml';
import { metricsHook, type MetricsSource } from './builtin/metrics.js';
import { pluginProblem, type HookPlugin } from './plugin.js';
import { hookEntrySchema, hookFileSchema, type HookEntry, type HookTerms, type RegisteredHook } from './spec.js';

export type LoadedHooks =
  | { readonly ok: true; readonly hooks: readonly RegisteredHook[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/** What built-in hooks need. */
export type HookSurroundings = MetricsSource;

/**
 * No file: no hooks, unless somebody named this very file (`named`): then it is a mistake. Never throws for what stands in the
 * file, nor for modules that cannot be loaded.
 */
export async function loadHooks(
  path: string,
  surroundings: HookSurroundings,
  { named = false }: { readonly named?: boolean } = {},
): Promise<LoadedHooks> {
  const file = await readText(path);
  if ('failure' in file) return unread(path, file.failure, named);
  const read = readEntries(file.text);
  if ('problems' in read) return { ok: false, problems: read.problems.map((problem) => `${path}: ${problem}`) };
  const problems: string[] = [];
  const hooks: RegisteredHook[] = [];
  for (const [index, entry] of read.entries.entries()) {
    const made = await register(entry, { folder: dirname(path), surroundings });
    if (typeof made === 'string') problems.push(`${path}: hooks.${index} (\`${entry.name}\`) ${made}`);
    else hooks.push(made);
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, hooks };
}

function unread(path: string, failure: unknown, named: boolean): LoadedHooks {
  if ((failure as { code?: unknown }).code === 'ENOENT' && !named) return { ok: true, hooks: [] };
  return { ok: false, problems: [`${path}: ${fileProblem(failure)}`] };
}

/** The text of a file, or the error of reading it. */
async function readText(path: string): Promise<{ readonly text: string } | { readonly failure: unknown }> {
  try {
    return { text: await readFile(path, 'utf8') };
  } catch (error) {
    return { failure: error };
  }
}

const NO_HOOK_FILE = 'is no hook file: it must hold `hooks:` and a list below it';

type Entries = { readonly entries: readonly HookEntry[] } | { readonly problems: readonly string[] };

function readEntries(text: string): Entries {
  let value: unknown;
  try {
    value = parse(text, { maxAliasCount: 10 }) ?? {};
  } catch (error) {
    return { problems: [error instanceof YAMLParseError ? (error.message.split('\n')[0] ?? '') : 'cannot be read'] };
  }
  if (!isTable(value)) return { problems: [NO_HOOK_FILE] };
  const parsed = hookFileSchema.safeParse(value);
  if (!parsed.success) return { problems: problemsOf(value, parsed.error.issues) };
  const names = parsed.data.hooks.map(({ name }) => name);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  if (twice.length > 0) return { problems: [`the name \`${twice[0] ?? ''}\` is used twice`] };
  return { entries: parsed.data.hooks };
}

function isTable(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Of an entry that fits none of the forms, what is wrong with the form that its own members point to. */
function problemsOf(value: unknown, issues: readonly { path: PropertyKey[]; message: string }[]): string[] {
  return issues.flatMap(({ path, message }) => {
    const place = path.map(String).join('.');
    // Most likely another file of the house: what it holds is named, and what is missing.
    if (place === '') return [`${NO_HOOK_FILE} (${message})`];
    const entry =
      path[0] === 'hooks' && path.length === 2 ? (value as { hooks: unknown[] }).hooks[Number(path[1])] : null;
    if (typeof entry !== 'object' || entry === null) return [`${place}: ${message}`];
    const [module, http, builtin] = hookEntrySchema.options;
    const form = 'http' in entry ? http : 'builtin' in entry ? builtin : module;
    const own = form.safeParse(entry);
    if (own.success) return [`${place}: ${message}`];
    return own.error.issues.map((issue) => `${[place, ...issue.path.map(String)].join('.')}: ${issue.message}`);
  });
}

interface Place {
  readonly folder: string;
  readonly surroundings: HookSurroundings;
}

/** The hook, or what is wrong with it. */
async function register(entry: HookEntry, place: Place): Promise<RegisteredHook | string> {
  const terms = termsOf(entry);
  if ('http' in entry) return registerHttp(entry, terms, place.folder);
  if ('builtin' in entry) return { kind: 'plugin', terms, plugin: metricsHook(entry.name, place.surroundings) };
  const path = resolve(place.folder, entry.module);
  let exported: unknown;
  try {
    exported = ((await import(pathToFileURL(path).href)) as Record<string, unknown>)[entry.export];
  } catch (error) {
    return `cannot load ${path}: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'it threw'}`;
  }
  if (exported === undefined) return `finds no export \`${entry.export}\` in ${path}`;
  const problem = pluginProblem(exported);
  return problem === null
    ? { kind: 'plugin', terms, plugin: exported as HookPlugin }
    : `: the export \`${entry.export}\` of ${path} ${problem}`;
}

async function registerHttp(
  { http }: Extract<HookEntry, { http: unknown }>,
  terms: HookTerms,
  folder: string,
): Promise<RegisteredHook | string> {
  const { url, allowPrivate, on, secretFile } = http;
  if (!allowPrivate && !url.startsWith('https:')) return 'must use https, or set `allowPrivate`';
  if ((http.secret === undefined) === (secretFile === undefined)) return 'needs either `secret` or `secretFile`';
  const secret = http.secret ?? (await secretIn(resolve(folder, secretFile ?? '')));
  if (secret === undefined || !/^whsec_[A-Za-z0-9+/=]{32,90}$/.test(secret))
    return 'has no usable secret in `secretFile`';
  return { kind: 'http', terms, http: { url, secret, allowPrivate, on } };
}

async function secretIn(path: string): Promise<string | undefined> {
  const file = await readText(path);
  return 'text' in file ? file.text.trim() : undefined;
}

function termsOf({ name, tools, policies, timeoutMs, retries, maxInFlight, onFailure, observe }: HookEntry): HookTerms {
  return {
    name,
    tools: tools ?? null,
    policies: policies ?? null,
    timeoutMs,
    retries,
    maxInFlight,
    onFailure,
    observe,
  };
}
