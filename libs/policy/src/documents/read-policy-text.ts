/** Reads a policy document from YAML, JSON or TOML text, or says line by line what is wrong with it. */
import { policyDocumentSchema, type PolicyDocument } from '@countersign/contracts';
import { parsePolicyDocument } from '../policy/parse-document.js';
import { readJsonText } from './json-text.js';
import { problemsOfIssues, unknownKeys } from './problems.js';
import {
  MAX_TEXT_LENGTH,
  entryOf,
  quoted,
  refusal,
  toValue,
  type TextNode,
  type TextProblem,
  type TextResult,
} from './text-node.js';
import { readTomlText } from './toml-text.js';
import { readYamlText } from './yaml-text.js';

/** The formats that a policy may be written in. */
export type PolicyFormat = 'yaml' | 'json' | 'toml';

/** One flaw of a policy file. `line` and `column` count from 1; `suggestion` is what was probably meant, ready to be put in. */
export interface PolicyTextProblem {
  readonly file: string;
  /** Where in the document, as `allow[2].rule`; empty for the text as a whole. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly suggestion?: string;
}

/** The document with its defaults filled in and what is odd about it, or every problem in the order of the text. */
export type PolicyTextResult =
  { ok: true; document: PolicyDocument; warnings: PolicyTextProblem[] } | { ok: false; problems: PolicyTextProblem[] };

/** Reads and checks a policy. Never throws; at most 1 MB, 32 levels and 100,000 values; an empty text is the empty policy. */
export function readPolicyText(text: string, format: PolicyFormat, fileName: string): PolicyTextResult {
  const read = readText(text, format);
  if (!read.ok) return { ok: false, problems: inFile(fileName, read.problems) };
  const flaws = unknownKeys(read.node);
  const value = toValue(read.node);
  const parsed = policyDocumentSchema.safeParse(value);
  if (!parsed.success) flaws.push(...problemsOfIssues(read.node, parsed.error.issues));
  if (!parsed.success || flaws.length > 0) return { ok: false, problems: inFile(fileName, flaws) };
  // The preset's own defaults stand where the text is silent.
  const filled = parsePolicyDocument(value);
  const document = filled.ok ? filled.document : parsed.data;
  return { ok: true, document, warnings: inFile(fileName, oddities(read.node)) };
}

/** The tree of a text in one of the formats; sizes are checked first. */
export function readText(text: string, format: PolicyFormat | 'jsonc'): TextResult {
  if (text.length > MAX_TEXT_LENGTH) return refusal(`the text is longer than ${String(MAX_TEXT_LENGTH)} characters`);
  if (format !== 'json' && text.trim() === '')
    return { ok: true, node: { kind: 'table', at: { line: 1, column: 1 }, entries: [] } };
  switch (format) {
    case 'yaml':
      return readYamlText(text);
    case 'json':
      return readJsonText(text);
    case 'jsonc':
      return readJsonText(text, { comments: true });
    case 'toml':
      return readTomlText(text);
    default: {
      const never: never = format;
      return refusal(`unknown format ${quoted(never)}`);
    }
  }
}

/** The format that a file's name tells, or undefined. */
export function policyFormatOf(fileName: string): PolicyFormat | undefined {
  const ending = /\.([a-z]+)$/.exec(fileName.toLowerCase())?.[1];
  if (ending === 'yaml' || ending === 'yml') return 'yaml';
  return ending === 'json' || ending === 'toml' ? ending : undefined;
}

/** One line for a person: `policy.yaml:3:5: unknown key `alow` (did you mean `allow`?)`. */
export function formatPolicyProblem(problem: PolicyTextProblem): string {
  const where = `${problem.file}:${String(problem.line)}:${String(problem.column)}`;
  const path = problem.path === '' ? '' : `${problem.path}: `;
  const hint = problem.suggestion === undefined ? '' : ` (did you mean ${quoted(problem.suggestion)}?)`;
  return `${where}: ${path}${problem.message}${hint}`;
}

/** Problems and warnings told of one text; more help nobody. */
const MAX_PROBLEMS = 100;

function inFile(file: string, problems: readonly TextProblem[]): PolicyTextProblem[] {
  const inOrder = [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
  return inOrder.slice(0, MAX_PROBLEMS).map((problem) => ({ file, ...problem }));
}

/** Rules that stand twice, and rules that a stricter list holds word for word. */
function oddities(root: TextNode): TextProblem[] {
  const seen = new Map<string, string>();
  const found: TextProblem[] = [];
  for (const list of ['deny', 'ask', 'allow']) {
    const node = entryOf(root, list)?.node;
    (node?.kind === 'list' ? node.items : []).forEach((item, i) => {
      const rule = patternOf(item);
      if (rule === undefined) return;
      const before = seen.get(rule);
      if (before === undefined) seen.set(rule, list);
      else found.push({ path: `${list}[${String(i)}]`, ...item.at, message: oddity(rule, list, before) });
    });
  }
  return found;
}

function oddity(rule: string, list: string, before: string): string {
  if (before === list) return `the rule ${quoted(rule)} stands twice in ${quoted(list)}`;
  return `the rule ${quoted(rule)} stands also in ${quoted(before)}, which is stricter`;
}

function patternOf(item: TextNode): string | undefined {
  const node = item.kind === 'table' ? entryOf(item, 'rule')?.node : item;
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
}
