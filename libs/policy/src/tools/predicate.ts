/** A small language, as data, for what a call's arguments must be like. It can only say what is there: nothing in it negates. */
import { isSafeVariable } from '../commands/environment.js';
import { isReadOnly } from '../commands/read-only.js';
import { decompose } from '../shell/decompose.js';
import type { ShellRedirect } from '../shell/tree.js';
import { isAbsent, isPlace, valuesAt } from './argument-places.js';
import { compilePattern, isTable } from './json-schema.js';
import type { ArgumentPlace } from './manifest.js';
import type { RE2JS } from 're2js';

/** A value that predicates compare with. */
export type PredicateValue = string | number | boolean | null;

/**
 * A condition on arguments. `arg` is a place; where it means several values, all must hold, and there must be one.
 * `matches` is RE2 on the whole text. `readOnlyShell`: a POSIX command line that only reads. `absent`: the argument that the place
 * begins with is not given.
 */
export type ArgumentPredicate =
  | { readonly arg: ArgumentPlace; readonly equals: PredicateValue }
  | { readonly arg: ArgumentPlace; readonly oneOf: readonly PredicateValue[] }
  | { readonly arg: ArgumentPlace; readonly matches: string }
  | { readonly arg: ArgumentPlace; readonly absent: true }
  | { readonly arg: ArgumentPlace; readonly readOnlyShell: true }
  | { readonly all: readonly ArgumentPredicate[] }
  | { readonly any: readonly ArgumentPredicate[] };

/** Deepest nesting of conditions. */
export const MAX_PREDICATE_DEPTH = 16;
const MAX_SHELL_LENGTH = 10_000;

/** Does the condition hold? Total. INVARIANT: arguments of another shape, and conditions that cannot be read, do not hold. */
export function holds(predicate: ArgumentPredicate, args: unknown): boolean {
  return isTable(args) && holdsWithin(predicate, args, 1);
}

type Arguments = Readonly<Record<string, unknown>>;

function holdsWithin(predicate: ArgumentPredicate, args: Arguments, depth: number): boolean {
  if (depth > MAX_PREDICATE_DEPTH) return false;
  if ('all' in predicate) {
    return predicate.all.length > 0 && predicate.all.every((one) => holdsWithin(one, args, depth + 1));
  }
  if ('any' in predicate) return predicate.any.some((one) => holdsWithin(one, args, depth + 1));
  if ('absent' in predicate) return isPlace(predicate.arg) && isAbsent(args, predicate.arg);
  const { values, missing } = valuesAt(args, predicate.arg);
  return !missing && values.length > 0 && values.every((value) => fits(predicate, value));
}

type Comparison = Exclude<
  ArgumentPredicate,
  { readonly all: unknown } | { readonly any: unknown } | { readonly absent: true }
>;

function fits(predicate: Comparison, value: unknown): boolean {
  if ('equals' in predicate) return predicate.equals === value;
  if ('oneOf' in predicate) return predicate.oneOf.some((one) => one === value);
  if (typeof value !== 'string') return false;
  return 'matches' in predicate ? matches(predicate, value) : isReadOnlyShell(value);
}

const expressions = new WeakMap<object, RE2JS | null>();

function matches(predicate: { readonly matches: string }, value: string): boolean {
  let expression = expressions.get(predicate);
  if (expression === undefined) {
    expression = compilePattern(predicate.matches);
    expressions.set(predicate, expression);
  }
  return expression !== null && expression.testExact(value);
}

/** A command line of which every program is known to read only, and that writes to no file. */
function isReadOnlyShell(command: string): boolean {
  const plan = decompose(command, { maxLength: MAX_SHELL_LENGTH, cwd: null, home: null });
  return (
    plan.doubts.length === 0 &&
    plan.functions.length === 0 &&
    plan.calls.length > 0 &&
    plan.calls.every(
      (call) =>
        isReadOnly(call) &&
        call.redirects.every(writesNothing) &&
        call.assignments.every((assignment) => isSafeVariable(assignment.name)),
    )
  );
}

function writesNothing(redirect: ShellRedirect): boolean {
  if (redirect.access !== 'write') return true;
  return redirect.target !== null && redirect.target.literal && redirect.target.value === '/dev/null';
}
