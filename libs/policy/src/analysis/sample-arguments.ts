/** Makes arguments that a tool would take: a value at its place, and something plain wherever the tool's schema demands more. */
import { isTable, type JsonSchema, type JsonSchemaObject, type SchemaType } from '../tools/json-schema.js';
import type { ArgumentPlace, ToolEntry } from '../tools/manifest.js';

type Arguments = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 8;

/** Arguments with the text at the place (null: none), and all that the schema requires. */
export function argumentsWith(entry: ToolEntry, place: ArgumentPlace | null, text: string): Arguments {
  const given = place === null ? {} : putAt({}, place, text);
  return entry.schema === undefined ? given : completed(entry.schema, given);
}

/** The arguments with the text at a place such as `file_path`, `target.path` or `edits[].path` (a list of one). */
export function putAt(args: Arguments, place: ArgumentPlace, text: string): Arguments {
  const cut = place.indexOf('.');
  const step = cut < 0 ? place : place.slice(0, cut);
  const list = step.endsWith('[]');
  const name = list ? step.slice(0, -2) : step;
  const below = Object.hasOwn(args, name) ? args[name] : undefined;
  const old: unknown = list && Array.isArray(below) ? below[0] : below;
  const value = cut < 0 ? text : putAt(isTable(old) ? old : {}, place.slice(cut + 1), text);
  return { ...args, [name]: list ? [value] : value };
}

function completed(schema: JsonSchema, args: Arguments): Arguments {
  const value = valueFor(schema, args, 0);
  return isTable(value) ? value : args;
}

/** The value itself where it is there, completed below; else the plainest that fits. */
function valueFor(schema: JsonSchema, value: unknown, depth: number): unknown {
  if (typeof schema === 'boolean' || depth > MAX_DEPTH) return value ?? '';
  if (value === undefined) return plainest(schema, depth);
  if (Array.isArray(value)) return value.map((item: unknown) => valueFor(schema.items ?? true, item, depth + 1));
  return isTable(value) ? members(schema, value, depth) : value;
}

function members(schema: JsonSchemaObject, table: Arguments, depth: number): Arguments {
  const out: Record<string, unknown> = { ...table };
  for (const name of new Set([...Object.keys(table), ...(schema.required ?? [])])) {
    const own = Object.hasOwn(table, name) ? table[name] : undefined;
    out[name] = valueFor(schema.properties?.[name] ?? true, own, depth + 1);
  }
  return out;
}

function plainest(schema: JsonSchemaObject, depth: number): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [first] = schema.anyOf ?? [];
  if (schema.type === undefined && first !== undefined) return valueFor(first, undefined, depth + 1);
  const type = typeof schema.type === 'object' ? schema.type[0] : schema.type;
  return PLAINEST[type ?? 'string'](schema, depth);
}

const PLAINEST: Readonly<Record<SchemaType, (schema: JsonSchemaObject, depth: number) => unknown>> = {
  object: (schema, depth) => members(schema, {}, depth),
  array: (schema, depth) =>
    Array.from({ length: schema.minItems ?? 0 }, () => valueFor(schema.items ?? true, undefined, depth + 1)),
  number: leastNumber,
  integer: leastNumber,
  boolean: () => false,
  null: () => null,
  string: (schema) => 'x'.repeat(schema.minLength ?? 1),
};

function leastNumber(schema: JsonSchemaObject): number {
  return schema.minimum ?? (schema.exclusiveMinimum === undefined ? 1 : schema.exclusiveMinimum + 1);
}
