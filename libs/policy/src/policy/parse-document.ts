/** Reads a policy document: shape and defaults, with a path and a plain message for every problem. */
import { policyDocumentSchema, presetSchema, type PolicyDocument } from '@countersign/contracts';
import { withOptions } from './options.js';
import { presetData } from './presets/index.js';

/** What is wrong in a document. `path` is dotted, as in `deny.3.rule`; empty for the document itself. */
export interface PolicyProblem {
  readonly path: string;
  readonly message: string;
  readonly suggestion?: string;
}

export type ParseResult =
  { readonly ok: true; readonly document: PolicyDocument } | { readonly ok: false; readonly problems: PolicyProblem[] };

/** Fills in what the document's preset sets where the document is silent. */
function withDefaults(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input) || !('preset' in input)) return input;
  const name = presetSchema.safeParse(input.preset);
  const preset = name.success ? presetData(name.data) : undefined;
  return preset === undefined ? input : { ...preset.documentDefaults, ...input };
}

/** Parses an already decoded document (an object). Not ok: every problem with its place. */
export function parsePolicyDocument(input: unknown): ParseResult {
  const parsed = policyDocumentSchema.safeParse(withDefaults(input));
  if (parsed.success) return { ok: true, document: withOptions(parsed.data) };
  const problems = parsed.error.issues.map((issue) => ({
    path: issue.path.map(String).join('.'),
    message: issue.message,
  }));
  return { ok: false, problems };
}
