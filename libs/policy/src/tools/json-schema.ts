/** The part of JSON Schema that manifests may use, and the check that a schema keeps to it. */
import { RE2JS } from 're2js';

/** Names of types in a schema. */
export const SCHEMA_TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const;
export type SchemaType = (typeof SCHEMA_TYPES)[number];

/** A schema; `true` takes anything, `false` nothing. Lengths of text are code points. Patterns are RE2, unanchored. */
export type JsonSchema = boolean | JsonSchemaObject;

/** A schema as a table. Words that only describe (title, default, format …) may stand in it and are not checked. */
export interface JsonSchemaObject {
  readonly type?: SchemaType | readonly SchemaType[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly anyOf?: readonly JsonSchema[];
}

/** What is wrong, and where: a dotted path as in `edits.0.old_string`, empty for the whole. */
export interface SchemaProblem {
  readonly path: string;
  readonly message: string;
}

/** Deepest nesting of schemas, and of values that are checked. */
export const MAX_SCHEMA_DEPTH = 64;
const MAX_PROBLEMS = 20;
const MAX_PATTERN_LENGTH = 1_000;
const MAX_SCHEMAS = 10_000;

/** Words that say nothing about which values fit. */
const DESCRIBING = new Set([
  'title',
  'description',
  'default',
  'examples',
  'format',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$schema',
  '$id',
  '$comment',
]);

interface Check {
  readonly problems: SchemaProblem[];
  schemas: number;
}

/** What is wrong with a schema, as far as it can be told without a value. Total; at most 20 problems. */
export function checkSchema(schema: unknown): SchemaProblem[] {
  const check: Check = { problems: [], schemas: 0 };
  checkOne(check, schema, '', 1);
  return check.problems.slice(0, MAX_PROBLEMS);
}

function checkOne(check: Check, schema: unknown, path: string, depth: number): void {
  check.schemas += 1;
  if (typeof schema === 'boolean' || check.problems.length >= MAX_PROBLEMS) return;
  if (depth > MAX_SCHEMA_DEPTH || check.schemas > MAX_SCHEMAS) {
    check.problems.push({ path, message: 'the schema is nested too deeply or too large' });
  } else if (!isTable(schema)) {
    check.problems.push({ path, message: 'expected a schema: a table, `true` or `false`' });
  } else {
    for (const [word, value] of Object.entries(schema)) checkWord(check, { word, value }, at(path, word), depth);
  }
}

function checkWord(check: Check, said: { word: string; value: unknown }, path: string, depth: number): void {
  const { word, value } = said;
  if (DESCRIBING.has(word)) return;
  const expected = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
  if (expected === undefined) {
    check.problems.push({ path, message: `\`${word}\` is not supported in schemas` });
  } else if (!expected.fits(value)) {
    check.problems.push({ path, message: `expected ${expected.text}` });
  } else if (word === 'properties') {
    for (const [name, schema] of Object.entries(value as object)) checkOne(check, schema, at(path, name), depth + 1);
  } else if (word === 'anyOf') {
    (value as unknown[]).forEach((schema, place) => {
      checkOne(check, schema, at(path, String(place)), depth + 1);
    });
  } else if (word === 'items' || word === 'additionalProperties') {
    checkOne(check, value, path, depth + 1);
  }
}

interface Expectation {
  readonly text: string;
  readonly fits: (value: unknown) => boolean;
}

const COUNT: Expectation = {
  text: 'a whole number, 0 or more',
  fits: (value) => Number.isInteger(value) && Number(value) >= 0,
};
const NUMBER: Expectation = { text: 'a number', fits: (value) => Number.isFinite(value) };
const SCHEMA: Expectation = { text: 'a schema', fits: () => true };

const WORDS: Readonly<Record<string, Expectation>> = {
  type: { text: `one or several of ${SCHEMA_TYPES.map((type) => `\`${type}\``).join(', ')}`, fits: isType },
  enum: { text: 'a list of values', fits: (value) => Array.isArray(value) && value.length > 0 },
  const: { text: 'a value', fits: () => true },
  required: { text: 'a list of names', fits: (value) => Array.isArray(value) && value.every(isText) },
  properties: { text: 'a table of schemas', fits: isTable },
  additionalProperties: SCHEMA,
  items: SCHEMA,
  minItems: COUNT,
  maxItems: COUNT,
  minLength: COUNT,
  maxLength: COUNT,
  pattern: {
    text: 'a regular expression that RE2 can read',
    fits: (value) => isText(value) && compilePattern(value) !== null,
  },
  minimum: NUMBER,
  maximum: NUMBER,
  exclusiveMinimum: NUMBER,
  exclusiveMaximum: NUMBER,
  anyOf: { text: 'a list of schemas', fits: (value) => Array.isArray(value) && value.length > 0 },
};

function isType(value: unknown): boolean {
  const known = (one: unknown): boolean => SCHEMA_TYPES.some((type) => type === one);
  return known(value) || (Array.isArray(value) && value.length > 0 && value.every(known));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** A plain table, not a list. */
export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Joins a step to a dotted path. */
export function at(path: string, step: string): string {
  return path === '' ? step : `${path}.${step}`;
}

/** The expression, compiled; null when it is too long or RE2 cannot read it. */
export function compilePattern(pattern: string): RE2JS | null {
  if (pattern.length > MAX_PATTERN_LENGTH) return null;
  try {
    return RE2JS.compile(pattern);
  } catch {
    return null;
  }
}
