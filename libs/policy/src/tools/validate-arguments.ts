/** Checks arguments against the schema of their tool. Whatever cannot be checked is a problem, never passed over. */
import type { RE2JS } from 're2js';
import {
  MAX_SCHEMA_DEPTH,
  at,
  checkSchema,
  compilePattern,
  isTable,
  type JsonSchema,
  type JsonSchemaObject,
  type SchemaProblem,
} from './json-schema.js';

const MAX_STEPS = 50_000;
const MAX_PROBLEMS = 20;
const MAX_SHOWN = 60;

interface Walk {
  readonly problems: SchemaProblem[];
  /** Shared by all branches of one check, so that alternatives inside alternatives cannot multiply. */
  readonly budget: { steps: number };
}

/** What is wrong with `value` under `schema`; empty when it fits. Total: never throws, never loops; at most 20 problems. */
export function validateArguments(schema: JsonSchema, value: unknown): SchemaProblem[] {
  const [flaw] = flawsOf(schema);
  if (flaw !== undefined) return [{ path: '', message: `cannot be checked: schema ${describeFlaw(flaw)}` }];
  const walk: Walk = { problems: [], budget: { steps: 0 } };
  checkValue(walk, schema, value, { above: null, step: '', depth: 1 });
  return walk.problems.length > MAX_PROBLEMS ? walk.problems.slice(0, MAX_PROBLEMS) : walk.problems;
}

const checked = new WeakMap<JsonSchemaObject, readonly SchemaProblem[]>();

/** What is wrong with the schema itself; remembered, since a schema never changes. */
function flawsOf(schema: JsonSchema): readonly SchemaProblem[] {
  if (!isTable(schema)) return checkSchema(schema);
  let flaws = checked.get(schema);
  if (flaws === undefined) {
    flaws = checkSchema(schema);
    checked.set(schema, flaws);
  }
  return flaws;
}

function describeFlaw(flaw: SchemaProblem): string {
  return flaw.path === '' ? flaw.message : `\`${flaw.path}\`: ${flaw.message}`;
}

/** A problem as one line for people. */
export function describeProblem(problem: SchemaProblem): string {
  return problem.path === '' ? `arguments: ${problem.message}` : `\`${problem.path}\`: ${problem.message}`;
}

/** Where in the arguments; written out only when there is something to tell. */
interface Spot {
  readonly above: Spot | null;
  readonly step: string;
  readonly depth: number;
}

function pathOf({ above, step }: Spot): string {
  return above === null ? step : at(pathOf(above), step);
}

function checkValue(walk: Walk, schema: JsonSchema, value: unknown, spot: Spot): void {
  walk.budget.steps += 1;
  if (schema === true || walk.problems.length >= MAX_PROBLEMS) return;
  if (walk.budget.steps > MAX_STEPS || spot.depth > MAX_SCHEMA_DEPTH)
    tell(walk, spot, 'too large or too deep to check');
  else if (schema === false) tell(walk, spot, 'no value is allowed here');
  else checkTable(walk, schema, value, spot);
}

function checkTable(walk: Walk, schema: JsonSchemaObject, value: unknown, spot: Spot): void {
  if (schema.type !== undefined && !hasSomeType(value, schema.type)) {
    tell(walk, spot, `expected ${typesOf(schema.type).map(typeName).join(' or ')}, found ${describe(value)}`);
    return;
  }
  checkChoice(walk, schema, value, spot);
  if (typeof value === 'string') checkText(walk, schema, value, spot);
  else if (typeof value === 'number') checkNumber(walk, schema, value, spot);
  else if (Array.isArray(value)) checkList(walk, schema, value, spot);
  else if (isTable(value)) checkMembers(walk, schema, value, spot);
  if (schema.anyOf !== undefined) checkAny(walk, schema.anyOf, value, spot);
}

function checkChoice(walk: Walk, schema: JsonSchemaObject, value: unknown, spot: Spot): void {
  if (schema.enum === undefined && !Object.hasOwn(schema, 'const')) return;
  if (schema.enum !== undefined && !schema.enum.some((one) => isSame(one, value, 1))) {
    tell(walk, spot, `${describe(value)} is none of ${schema.enum.map(describe).join(', ')}`);
  }
  if (Object.hasOwn(schema, 'const') && !isSame(schema.const, value, 1)) {
    tell(walk, spot, `expected ${describe(schema.const)}, found ${describe(value)}`);
  }
}

const patterns = new WeakMap<JsonSchemaObject, RE2JS | null>();

function checkText(walk: Walk, schema: JsonSchemaObject, value: string, spot: Spot): void {
  if (schema.minLength !== undefined || schema.maxLength !== undefined) {
    checkSize(walk, { least: schema.minLength, most: schema.maxLength, unit: 'characters' }, [...value].length, spot);
  }
  if (schema.pattern === undefined) return;
  let expression = patterns.get(schema);
  if (expression === undefined) {
    expression = compilePattern(schema.pattern);
    patterns.set(schema, expression);
  }
  if (expression === null) tell(walk, spot, `cannot be checked: \`${schema.pattern}\` is not readable`);
  else if (!expression.test(value)) tell(walk, spot, `${describe(value)} does not match \`${schema.pattern}\``);
}

function checkNumber(walk: Walk, schema: JsonSchemaObject, value: number, spot: Spot): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  // Written so that NaN fails every bound.
  if (minimum !== undefined && !(value >= minimum))
    tell(walk, spot, `expected at least ${String(minimum)}, found ${String(value)}`);
  if (maximum !== undefined && !(value <= maximum))
    tell(walk, spot, `expected at most ${String(maximum)}, found ${String(value)}`);
  if (exclusiveMinimum !== undefined && !(value > exclusiveMinimum)) {
    tell(walk, spot, `expected more than ${String(exclusiveMinimum)}, found ${String(value)}`);
  }
  if (exclusiveMaximum !== undefined && !(value < exclusiveMaximum)) {
    tell(walk, spot, `expected less than ${String(exclusiveMaximum)}, found ${String(value)}`);
  }
}

interface Bounds {
  readonly least: number | undefined;
  readonly most: number | undefined;
  readonly unit: string;
}

function checkSize(walk: Walk, bounds: Bounds, size: number, spot: Spot): void {
  const { least, most, unit } = bounds;
  if (least !== undefined && !(size >= least))
    tell(walk, spot, `expected at least ${String(least)} ${unit}, found ${String(size)}`);
  if (most !== undefined && !(size <= most))
    tell(walk, spot, `expected at most ${String(most)} ${unit}, found ${String(size)}`);
}

function checkList(walk: Walk, schema: JsonSchemaObject, value: readonly unknown[], spot: Spot): void {
  checkSize(walk, { least: schema.minItems, most: schema.maxItems, unit: 'items' }, value.length, spot);
  const { items } = schema;
  if (items === undefined) return;
  for (const [place, item] of value.entries()) {
    if (isSpent(walk)) break;
    checkValue(walk, items, item, below(spot, String(place)));
  }
}

function checkMembers(
  walk: Walk,
  schema: JsonSchemaObject,
  value: Readonly<Record<string, unknown>>,
  spot: Spot,
): void {
  for (const name of schema.required ?? NONE) {
    if (!Object.hasOwn(value, name)) tell(walk, spot, `\`${name}\` is missing`);
  }
  for (const name of Object.keys(value)) {
    if (isSpent(walk)) break;
    const expected = memberSchema(schema, name);
    if (expected === null) tell(walk, below(spot, name), 'unknown argument');
    else checkValue(walk, expected, value[name], below(spot, name));
  }
}

const NONE: readonly string[] = [];

/** The schema of a member; null when it must not be there. */
function memberSchema(schema: JsonSchemaObject, name: string): JsonSchema | null {
  const { properties, additionalProperties } = schema;
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name] ?? null;
  return additionalProperties === false ? null : (additionalProperties ?? true);
}

function checkAny(walk: Walk, branches: readonly JsonSchema[], value: unknown, spot: Spot): void {
  for (const branch of branches) {
    const attempt: Walk = { problems: [], budget: walk.budget };
    checkValue(attempt, branch, value, { ...spot, depth: spot.depth + 1 });
    if (attempt.problems.length === 0) return;
  }
  tell(walk, spot, `${describe(value)} fits none of the ${String(branches.length)} allowed forms`);
}

function below(spot: Spot, step: string): Spot {
  return { above: spot, step, depth: spot.depth + 1 };
}

/** Stops a walk that has found enough or worked enough; the overrun itself has been told. */
function isSpent(walk: Walk): boolean {
  return walk.problems.length >= MAX_PROBLEMS || walk.budget.steps > MAX_STEPS + 1;
}

function tell(walk: Walk, spot: Spot, message: string): void {
  walk.problems.push({ path: pathOf(spot), message });
}

function typesOf(type: NonNullable<JsonSchemaObject['type']>): readonly string[] {
  return typeof type === 'string' ? [type] : type;
}

function hasSomeType(value: unknown, type: NonNullable<JsonSchemaObject['type']>): boolean {
  return typeof type === 'string' ? hasType(value, type) : type.some((one) => hasType(value, one));
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'object':
      return isTable(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'null':
      return value === null;
    case 'string':
    case 'boolean':
      return typeof value === type;
    default:
      return false;
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  object: 'a table',
  array: 'a list',
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: '`true` or `false`',
  null: 'nothing',
};

function typeName(type: string): string {
  return TYPE_NAMES[type] ?? type;
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return `\`${value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value}\``;
  if (typeof value === 'number' || typeof value === 'boolean') return `\`${String(value)}\``;
  return 'a table';
}

/** Equal as JSON; the order of keys does not count. What is nested too deeply equals nothing. */
function isSame(a: unknown, b: unknown, depth: number): boolean {
  if (a === b) return true;
  if (depth > MAX_SCHEMA_DEPTH) return false;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, place) => isSame(item, b[place], depth + 1));
  }
  if (!isTable(a) || !isTable(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name], depth + 1))
  );
}
