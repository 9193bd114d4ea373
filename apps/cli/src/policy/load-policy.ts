/** Loads a policy file: YAML, JSON or TOML, compiled, with every problem as one line with its place. */
import { readFile } from 'node:fs/promises';
import { policyDocumentSchema, type PolicyDocument, type Preset } from '@countersign/contracts';
import {
  compilePolicy,
  formatPolicyProblem,
  policyFormatOf,
  readPolicyText,
  withEnvironment,
  type CompiledPolicy,
  type EnvironmentProblem,
  type PolicyProblem,
} from '@countersign/policy';
import { complain, type Streams } from './streams.js';

/** Where a policy comes from. */
export interface PolicyOrigin {
  /** Null: the preset alone. */
  readonly file: string | null;
  /** Takes the place of the document's own. */
  readonly preset: Preset | null;
  /** Variables that may set more, on top of the document; null: none count. */
  readonly variables: Variables | null;
}
export type Variables = Readonly<Record<string, string | undefined>>;

/** The origin that a command's options name. */
export function originOf(
  file: string | null,
  options: { readonly preset?: Preset; readonly variables?: Variables },
): PolicyOrigin {
  return { file, preset: options.preset ?? null, variables: options.variables ?? null };
}

/** The document, with what the environment sets. Null: the problems were told. */
export async function loadDocument(origin: PolicyOrigin, streams: Streams): Promise<PolicyDocument | null> {
  const { file, preset, variables } = origin;
  const document = file === null ? policyDocumentSchema.parse({}) : await readDocument(file, streams);
  if (document === null) return null;
  return underVariables(preset === null ? document : { ...document, preset }, variables ?? {}, streams);
}

function underVariables(document: PolicyDocument, variables: Variables, streams: Streams): PolicyDocument | null {
  const result = withEnvironment(document, variables);
  if (!result.ok) {
    for (const problem of result.problems) complain(streams, toldOfVariable(problem));
    return null;
  }
  if (result.used.length > 0) complain(streams, `with what the environment sets: ${result.used.join(', ')}`);
  return result.document;
}

/** A variable that cannot be read, as a line. */
export function toldOfVariable({ variable, message, suggestion }: EnvironmentProblem): string {
  return `${variable}: ${message}${suggestion === undefined ? '' : ` (did you mean \`${suggestion}\`?)`}`;
}

async function readDocument(file: string, streams: Streams): Promise<PolicyDocument | null> {
  const format = policyFormatOf(file);
  if (format === undefined) {
    complain(streams, `${file}: the name must end in .yaml, .yml, .json or .toml`);
    return null;
  }
  const text = await readText(file, streams);
  if (text === null) return null;
  const read = readPolicyText(text, format, file);
  for (const problem of read.ok ? read.warnings : read.problems) {
    complain(streams, `${read.ok ? 'warning: ' : ''}${formatPolicyProblem(problem)}`);
  }
  return read.ok ? read.document : null;
}

/** The same, compiled. */
export async function loadPolicy(origin: PolicyOrigin, streams: Streams): Promise<CompiledPolicy | null> {
  const { file } = origin;
  const document = await loadDocument(origin, streams);
  if (document === null) return null;
  const compiled = compilePolicy(document);
  if (!compiled.ok) {
    for (const problem of compiled.problems) complain(streams, told(file, problem));
    return null;
  }
  for (const problem of [...compiled.policy.warnings, ...compiled.policy.notes])
    complain(streams, `warning: ${told(file, problem)}`);
  return compiled.policy;
}

/** A problem of compiling as a line. */
export function told(file: string | null, { path, message, suggestion }: PolicyProblem): string {
  const hint = suggestion === undefined ? '' : ` (did you mean \`${suggestion}\`?)`;
  return `${file ?? 'policy'}: ${path === '' ? '' : `${path}: `}${message}${hint}`;
}

async function readText(file: string, streams: Streams): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    complain(streams, `${file}: ${(error as Error).message}`);
    return null;
  }
}
