/** The policy that a home brings along: its `policy.yaml`, taken over when it is new or has changed. */
import { createHash } from 'node:crypto';
import { fileProblem, policyDocumentSchema, type PolicyDocument } from '@countersign/contracts';
import { compilePolicy, ENVIRONMENT_VARIABLES, formatPolicyProblem, readPolicyText } from '@countersign/policy';
import { PartMissing } from '../compose/part-missing.js';
import { readIfPresent, writePrivateFile } from '../home/private-file.js';
import type { HomeLayout } from '../home/layout.js';
import { toldInText, type Variables } from '../policy/load-policy.js';

export interface HomePolicy {
  readonly document: PolicyDocument;
  /** The file, or what the environment sets, was changed since it was last published: it goes over what is in force. */
  readonly changed: boolean;
  /** Remembers that the file was published. */
  published(): Promise<void>;
}

/**
 * Reads the home's policy; the standard one where there is no file. A file counts as changed, too, when the variables that are laid over
 * it are others than before. Throws PartMissing with one line per problem.
 */
export async function readHomePolicy(layout: HomeLayout, variables: Variables = {}): Promise<HomePolicy> {
  const text = await readPolicyFile(layout.policy);
  if (text === null) {
    return { document: policyDocumentSchema.parse({}), changed: false, published: () => Promise.resolve() };
  }
  const hash = createHash('sha256').update(text).update(settingsIn(variables)).digest('hex');
  const before = await readIfPresent(layout.policyPublished);
  return {
    document: documentOf(text, layout.policy),
    changed: before?.trim() !== hash,
    published: () => writePrivateFile(layout.policyPublished, `${hash}\n`),
  };
}

async function readPolicyFile(path: string): Promise<string | null> {
  return readIfPresent(path).catch((error: unknown) => {
    throw new PartMissing(`${path}: ${fileProblem(error)}`);
  });
}

/** The variables that set a part of a policy, as one text; empty when none does. */
function settingsIn(variables: Variables): string {
  const set = ENVIRONMENT_VARIABLES.filter((name) => (variables[name] ?? '').trim() !== '');
  return set.map((name) => `\0${name}=${variables[name] ?? ''}`).join('');
}

function documentOf(text: string, path: string): PolicyDocument {
  const read = readPolicyText(text, 'yaml', path);
  if (!read.ok) throw new PartMissing(read.problems.map(formatPolicyProblem).join('\n'));
  const compiled = compilePolicy(read.document);
  if (!compiled.ok)
    throw new PartMissing(toldInText({ file: path, text, format: 'yaml' }, compiled.problems).join('\n'));
  return read.document;
}
