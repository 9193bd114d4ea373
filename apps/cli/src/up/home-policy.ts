/** The policy that a home brings along: its `policy.yaml`, taken over when it is new or has changed. */
import { createHash } from 'node:crypto';
import { policyDocumentSchema, type PolicyDocument } from '@countersign/contracts';
import { compilePolicy, parsePolicyDocument, type PolicyProblem } from '@countersign/policy';
import { LineCounter, parseDocument } from 'yaml';
import { PartMissing } from '../compose/part-missing.js';
import { readIfPresent, writePrivateFile } from '../home/private-file.js';
import type { HomeLayout } from '../home/layout.js';

export interface HomePolicy {
  readonly document: PolicyDocument;
  /** The file was changed since it was last published: it goes over what is in force. */
  readonly changed: boolean;
  /** Remembers that the file was published. */
  published(): Promise<void>;
}

/** Reads the home's policy; the standard one where there is no file. Throws PartMissing with one line per problem. */
export async function readHomePolicy(layout: HomeLayout): Promise<HomePolicy> {
  const text = await readIfPresent(layout.policy);
  if (text === null) {
    return { document: policyDocumentSchema.parse({}), changed: false, published: () => Promise.resolve() };
  }
  const hash = createHash('sha256').update(text).digest('hex');
  const before = await readIfPresent(layout.policyPublished);
  return {
    document: documentOf(text, layout.policy),
    changed: before?.trim() !== hash,
    published: () => writePrivateFile(layout.policyPublished, `${hash}\n`),
  };
}

/** Most nodes that aliases may unfold to: a small file must not grow into a large one. */
const MAX_ALIASES = 100;

function documentOf(text: string, path: string): PolicyDocument {
  const parsed = parsePolicyDocument(valueOf(text, path));
  if (!parsed.ok) throw new PartMissing(explain(parsed.problems, text, path));
  const compiled = compilePolicy(parsed.document);
  if (!compiled.ok) throw new PartMissing(explain(compiled.problems, text, path));
  return parsed.document;
}

/** The value of a YAML text; duplicate keys and unknown tags are problems. An empty text is the empty policy. */
function valueOf(text: string, path: string): unknown {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true, version: '1.2' });
  const [error] = [...document.errors, ...document.warnings];
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new PartMissing(`${path}:${line}:${col}: ${error.message}`);
  }
  try {
    return (document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown) ?? {};
  } catch (aliasError) {
    throw new PartMissing(`${path}: ${(aliasError as Error).message}`);
  }
}

function explain(problems: readonly PolicyProblem[], text: string, path: string): string {
  return problems.map((problem) => `${placeOf(text, path, problem.path)}: ${problem.message}`).join('\n');
}

/** Where a member such as `deny.3` stands, as `file:line:column: member`; of one that is not there, its nearest parent. */
function placeOf(text: string, file: string, member: string): string {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const keys = member.split('.').map((key) => (/^\d+$/.test(key) ? Number(key) : key));
  for (let depth = keys.length; depth > 0; depth -= 1) {
    const node = document.getIn(keys.slice(0, depth), true) as { range?: [number, number, number] | null } | undefined;
    if (!node?.range) continue;
    const { line, col } = lines.linePos(node.range[0]);
    return `${file}:${line}:${col}: ${member}`;
  }
  return member === '' ? file : `${file}: ${member}`;
}
