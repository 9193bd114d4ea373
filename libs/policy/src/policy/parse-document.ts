/** Reads a policy document: shape and defaults, with a path and a plain message for every problem. */
import { policyDocumentSchema, type PolicyDocument } from '@countersign/contracts';

/** What is wrong in a document. `path` is dotted, as in `deny.3.rule`; empty for the document itself. */
export interface PolicyProblem {
  readonly path: string;
  readonly message: string;
  readonly suggestion?: string;
}

export type ParseResult =
  { readonly ok: true; readonly document: PolicyDocument } | { readonly ok: false; readonly problems: PolicyProblem[] };

/** Parses an already decoded document (an object). Not ok: every problem with its place. */
export function parsePolicyDocument(input: unknown): ParseResult {
  const parsed = policyDocumentSchema.safeParse(input);
  if (parsed.success) return { ok: true, document: parsed.data };
  const problems = parsed.error.issues.map((issue) => ({
    path: issue.path.map(String).join('.'),
    message: issue.message,
  }));
  return { ok: false, problems };
}
