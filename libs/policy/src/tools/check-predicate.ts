/** Checks conditions on arguments that somebody wrote. */
import { isPlace } from './argument-places.js';
import { at, compilePattern, isTable, type SchemaProblem } from './json-schema.js';
import { MAX_PREDICATE_DEPTH } from './predicate.js';

const MAX_CONDITIONS = 100;
const COMPARISONS = ['equals', 'oneOf', 'matches', 'absent', 'readOnlyShell'];

/** What is wrong with a condition as somebody wrote it; empty when it can be read. Total. */
export function checkPredicate(predicate: unknown): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  let left = [{ predicate, path: '' }];
  let conditions = 0;
  for (let depth = 1; left.length > 0; depth += 1) {
    conditions += left.length;
    if (depth > MAX_PREDICATE_DEPTH || conditions > MAX_CONDITIONS)
      return [{ path: '', message: 'too many conditions' }];
    left = left.flatMap((one) => checkCondition(problems, one.predicate, one.path));
  }
  return problems;
}

interface Condition {
  readonly predicate: unknown;
  readonly path: string;
}

/** Checks one condition; the conditions below it. */
function checkCondition(problems: SchemaProblem[], predicate: unknown, path: string): Condition[] {
  const [word, ...others] = isTable(predicate) ? Object.keys(predicate).filter((key) => key !== 'arg') : [];
  if (!isTable(predicate) || word === undefined || others.length > 0) {
    const message = `expected a table with \`all\`, \`any\`, or \`arg\` and one of ${names(COMPARISONS)}`;
    problems.push({ path, message });
    return [];
  }
  if (word === 'all' || word === 'any') return checkGroup(problems, predicate, { word, path });
  const { arg } = predicate;
  if (typeof arg !== 'string' || !isPlace(arg)) {
    problems.push({ path: at(path, 'arg'), message: 'expected the place of an argument, as `path` or `edits[].path`' });
  }
  const flaw = flawOfComparison(word, predicate[word]);
  if (flaw !== null) problems.push({ path: at(path, word), message: flaw });
  return [];
}

function checkGroup(
  problems: SchemaProblem[],
  predicate: Readonly<Record<string, unknown>>,
  group: { readonly word: string; readonly path: string },
): Condition[] {
  const path = at(group.path, group.word);
  const conditions = predicate[group.word];
  if (!Object.hasOwn(predicate, 'arg') && Array.isArray(conditions) && conditions.length > 0) {
    return conditions.map((one: unknown, place) => ({ predicate: one, path: at(path, String(place)) }));
  }
  problems.push({ path, message: 'expected a list of conditions' });
  return [];
}

function flawOfComparison(word: string, value: unknown): string | null {
  switch (word) {
    case 'equals':
      return isScalar(value) ? null : 'expected a plain value';
    case 'oneOf':
      return Array.isArray(value) && value.length > 0 && value.every(isScalar)
        ? null
        : 'expected a list of plain values';
    case 'matches':
      return typeof value === 'string' && compilePattern(value) !== null
        ? null
        : 'expected a regular expression that RE2 can read';
    case 'absent':
    case 'readOnlyShell':
      return value === true ? null : 'expected `true`';
    default:
      return `unknown condition, expected one of ${names(COMPARISONS)}`;
  }
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function names(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(', ');
}
