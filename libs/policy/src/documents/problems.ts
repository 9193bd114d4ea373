/** Turns what the schema finds into problems that a person can act on: place, plain words, nearest known name. */
import { askTimeoutSchema, breakerLimitsSchema, policyDocumentSchema, ruleObjectSchema } from '@countersign/contracts';
import type { core } from 'zod';
import { nearest } from './suggest.js';
import { entryOf, pathText, placeOf, quoted, type TextNode, type TextPath, type TextProblem } from './text-node.js';

type Issue = core.$ZodIssue;

/** Keys of each table of a policy document, by the place of the table. */
const DOCUMENT_KEYS = Object.keys(policyDocumentSchema.shape);
const RULE_KEYS = Object.keys(ruleObjectSchema.shape);
const TIMEOUT_KEYS = Object.keys(askTimeoutSchema.shape);
const BREAKER_KEYS = Object.keys(breakerLimitsSchema.shape);
const RULE_LISTS = ['deny', 'ask', 'allow'];

/** Unknown keys told of one table: looking for the nearest name takes its time. */
const MAX_UNKNOWN = 100;

/** Problems of the schema, in the order of the text. */
export function problemsOfIssues(root: TextNode, issues: readonly Issue[]): TextProblem[] {
  return issues.filter((issue) => issue.code !== 'unrecognized_keys').map((issue) => problemOf(root, unwrap(issue)));
}

/** Keys that no table of a policy knows, with the nearest that it does. `options` may hold any. */
export function unknownKeys(root: TextNode): TextProblem[] {
  const rules = RULE_LISTS.flatMap((list) => {
    const node = entryOf(root, list)?.node;
    const items = node?.kind === 'list' ? node.items : [];
    return items.flatMap((item, i) => unknownIn([list, i], item, RULE_KEYS));
  });
  return [
    ...unknownIn([], root, DOCUMENT_KEYS),
    ...unknownIn(['askTimeout'], entryOf(root, 'askTimeout')?.node, TIMEOUT_KEYS),
    ...unknownIn(['breaker'], entryOf(root, 'breaker')?.node, BREAKER_KEYS),
    ...rules,
  ];
}

function unknownIn(path: TextPath, node: TextNode | undefined, known: readonly string[]): TextProblem[] {
  if (node?.kind !== 'table') return [];
  return node.entries
    .filter((entry) => !known.includes(entry.key))
    .slice(0, MAX_UNKNOWN)
    .map((entry) => ({
      path: pathText([...path, entry.key]),
      ...entry.at,
      message: `unknown key ${quoted(entry.key)}`,
      ...suggestion(entry.key, known),
    }));
}

function suggestion(input: unknown, known: readonly string[]): { suggestion?: string } {
  const name = typeof input === 'string' ? nearest(input, known) : undefined;
  return name === undefined ? {} : { suggestion: name };
}

/** A rule is a text or a table: speak of the branch that was meant. */
function unwrap(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const branches = issue.errors.map((branch) => branch[0]).filter((branch) => branch !== undefined);
  const meant = branches.find((branch) => branch.path.length > 0 || branch.code !== 'invalid_type');
  return meant ? { ...meant, path: [...issue.path, ...meant.path] } : issue;
}

function problemOf(root: TextNode, issue: Issue): TextProblem {
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
  const found = valueAtPath(root, path);
  return {
    path: pathText(path),
    ...placeOf(root, path),
    message: messageOf(issue, path, found),
    ...hint(issue, found),
  };
}

function valueAtPath(root: TextNode, path: TextPath): unknown {
  let node: TextNode | undefined = root;
  for (const step of path) {
    node = node?.kind === 'list' ? node.items[Number(step)] : entryOf(node, String(step))?.node;
  }
  return node?.kind === 'scalar' ? node.value : node?.kind;
}

function messageOf(issue: Issue, path: TextPath, found: unknown): string {
  switch (issue.code) {
    case 'invalid_value':
      return `${quoted(found)} is none of ${issue.values.map((value) => quoted(value)).join(', ')}`;
    case 'invalid_type':
      return found === undefined
        ? `${quoted(String(path[path.length - 1] ?? ''))} is missing`
        : `expected ${typeName(issue.expected)}, found ${describe(found)}`;
    case 'invalid_union':
      return `expected a rule, as text or as a table with ${quoted('rule')}, found ${describe(found)}`;
    case 'too_small':
      return issue.origin === 'string'
        ? 'the text is empty'
        : `expected ${issue.inclusive === false ? 'more than' : 'at least'} ${String(issue.minimum)}, found ${describe(found)}`;
    case 'too_big':
      return issue.origin === 'string'
        ? `the text is longer than ${String(issue.maximum)} characters`
        : `expected at most ${String(issue.maximum)}, found ${describe(found)}`;
    default:
      return issue.message.replace(/[.\s]+$/, '').toLowerCase();
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: '`true` or `false`',
  array: 'a list',
  object: 'a table',
  record: 'a table',
};

function typeName(expected: string): string {
  return TYPE_NAMES[expected] ?? expected;
}

function describe(found: unknown): string {
  if (found === 'table' || found === 'list') return `a ${found}`;
  if (found === null) return 'nothing';
  return quoted(found);
}

/** Words that people write for `true` and `false` in other formats. */
const BOOLEAN_WORDS: Readonly<Record<string, string>> = { yes: 'true', on: 'true', no: 'false', off: 'false' };

function hint(issue: Issue, found: unknown): { suggestion?: string } {
  if (issue.code === 'invalid_value') return suggestion(found, issue.values.map(String));
  if (issue.code !== 'invalid_type' || typeof found !== 'string') return {};
  if (issue.expected === 'boolean') {
    const folded = found.toLowerCase();
    const word = Object.hasOwn(BOOLEAN_WORDS, folded) ? BOOLEAN_WORDS[folded] : nearest(found, ['true', 'false']);
    return word === undefined ? {} : { suggestion: word };
  }
  return issue.expected === 'number' && /^\d+$/.test(found) ? { suggestion: found } : {};
}
