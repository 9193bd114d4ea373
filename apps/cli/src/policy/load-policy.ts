/** Loads a policy file: YAML, JSON or TOML, compiled, with every problem as one line with its place. */
import { readFile } from 'node:fs/promises';
import { fileProblem, policyDocumentSchema, type PolicyDocument, type Preset } from '@countersign/contracts';
import {
  compilePolicy,
  formatPolicyProblem,
  policyFormatOf,
  readPolicyText,
  withEnvironment,
  type CompiledPolicy,
  type EnvironmentProblem,
  placeProblems,
  type PolicyProblem,
  type PolicyText,
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
  return (await loadSource(origin, streams))?.document ?? null;
}

/** A document, and the text that it stands in; null: it stands in none. */
interface PolicySource {
  readonly document: PolicyDocument;
  readonly text: PolicyText | null;
}

async function loadSource(origin: PolicyOrigin, streams: Streams): Promise<PolicySource | null> {
  const { file, preset, variables } = origin;
  const source = file === null ? PRESET_ALONE : await readSource(file, streams);
  if (source === null) return null;
  const named = preset === null ? source.document : { ...source.document, preset };
  const document = underVariables(named, variables ?? {}, streams);
  return document === null ? null : { document, text: source.text };
}

const PRESET_ALONE: PolicySource = { document: policyDocumentSchema.parse({}), text: null };

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

async function readSource(file: string, streams: Streams): Promise<PolicySource | null> {
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
  return read.ok ? { document: read.document, text: { file, text, format } } : null;
}

/** The same, compiled. */
export async function loadPolicy(origin: PolicyOrigin, streams: Streams): Promise<CompiledPolicy | null> {
  const source = await loadSource(origin, streams);
  if (source === null) return null;
  const compiled = compilePolicy(source.document);
  if (!compiled.ok) {
    for (const line of toldInText(source.text, compiled.problems)) complain(streams, line);
    return null;
  }
  const { warnings, notes } = compiled.policy;
  for (const line of toldInText(source.text, [...warnings, ...notes])) complain(streams, `warning: ${line}`);
  return compiled.policy;
}

/** Problems of compiling as lines, with their places in the text where there is one. */
export function toldInText(text: PolicyText | null, problems: readonly PolicyProblem[]): string[] {
  if (text === null) return problems.map((problem) => told(null, problem));
  return placeProblems(text, problems).map(formatPolicyProblem);
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
    complain(streams, `${file}: ${fileProblem(error)}`);
    return null;
  }
}
