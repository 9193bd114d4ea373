/** Loads a policy file: YAML, JSON or TOML, compiled, with every problem as one line with its place. */
import { readFile } from 'node:fs/promises';
import { policyDocumentSchema, type PolicyDocument, type Preset } from '@countersign/contracts';
import {
  compilePolicy,
  formatPolicyProblem,
  policyFormatOf,
  readPolicyText,
  type CompiledPolicy,
  type PolicyProblem,
} from '@countersign/policy';
import { complain, type Streams } from './streams.js';

/** A file's document; `preset` takes the place of the document's own. Null: the problems were told. Without a file, the preset alone. */
export async function loadDocument(
  file: string | null,
  preset: Preset | null,
  streams: Streams,
): Promise<PolicyDocument | null> {
  const document = file === null ? policyDocumentSchema.parse({}) : await readDocument(file, streams);
  return document === null || preset === null ? document : { ...document, preset };
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
export async function loadPolicy(
  file: string | null,
  preset: Preset | null,
  streams: Streams,
): Promise<CompiledPolicy | null> {
  const document = await loadDocument(file, preset, streams);
  if (document === null) return null;
  const compiled = compilePolicy(document);
  if (!compiled.ok) {
    for (const problem of compiled.problems) complain(streams, told(file, problem));
    return null;
  }
  for (const problem of compiled.policy.warnings) complain(streams, `warning: ${told(file, problem)}`);
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
