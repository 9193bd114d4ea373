/** Checks that are made from schemas and copy nothing: for values that are almost always valid and pass here many times a second. */
import type { z } from 'zod';

/**
 * True: the schema takes the value and would give an equal one, with nothing left out, put in or changed. False says nothing: the
 * schema itself is to be asked.
 */
export type QuickCheck = (value: unknown) => boolean;

/** What a schema is made of, as far as it is read here. */
interface Def {
  readonly type: string;
  readonly checks?: readonly z.core.$ZodCheck[];
  /** A format of its own, such as a date: left to the schema. */
  readonly check?: string;
  readonly coerce?: boolean;
  readonly innerType?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly catchall?: z.core.$ZodType;
  readonly keyType?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly mode?: string;
  readonly options?: readonly z.core.$ZodType[];
  readonly discriminator?: string;
  readonly values?: readonly unknown[];
  readonly entries?: Readonly<Record<string, unknown>>;
}

const NEVER: QuickCheck = () => false;

/** Whatever of the schema is not understood here makes a check that is never true. */
export function quickCheck(schema: z.core.$ZodType): QuickCheck {
  const def = defOf(schema);
  if (def.check !== undefined || def.coerce === true) return NEVER;
  const plain = MAKERS[def.type]?.(def) ?? NEVER;
  const limits = (def.checks ?? []).map(limitOf);
  if (limits.length === 0 || plain === NEVER) return plain;
  return limits.reduce((inner, limit) => both(inner, limit), plain);
}

function both(first: QuickCheck, second: QuickCheck): QuickCheck {
  return (value) => first(value) && second(value);
}

/** As `schema.safeParse`; the data of a value that is plainly valid is the value itself. */
export function quickParser<S extends z.ZodType>(
  schema: S,
): (value: unknown) => { success: true; data: z.output<S> } | z.ZodSafeParseError<z.output<S>> {
  const check = quickCheck(schema);
  return (value) => {
    if (check(value)) return { success: true, data: value as z.output<S> };
    return schema.safeParse(value);
  };
}

function defOf(schema: z.core.$ZodType): Def {
  return schema._zod.def as unknown as Def;
}

const MAKERS: Readonly<Record<string, (def: Def) => QuickCheck>> = {
  string: () => (value) => typeof value === 'string',
  number: () => (value) => typeof value === 'number' && Number.isFinite(value),
  boolean: () => (value) => typeof value === 'boolean',
  null: () => (value) => value === null,
  unknown: () => () => true,
  literal: ({ values = [] }) => oneOf(values),
  enum: ({ entries = {} }) => oneOf(Object.values(entries)),
  nullable: ({ innerType }) => {
    const inner = innerOf(innerType);
    return (value) => value === null || inner(value);
  },
  optional: ({ innerType }) => {
    const inner = innerOf(innerType);
    return (value) => value === undefined || inner(value);
  },
  array: ({ element }) => {
    const inner = innerOf(element);
    return (value) => Array.isArray(value) && allOf(value, inner);
  },
  object: objectCheck,
  record: recordCheck,
  union: unionCheck,
};

function innerOf(schema: z.core.$ZodType | undefined): QuickCheck {
  return schema === undefined ? NEVER : quickCheck(schema);
}

/** Unlike `every`, which passes over what was never set. */
function allOf(items: readonly unknown[], check: QuickCheck): boolean {
  for (let at = 0; at < items.length; at += 1) if (!check(items[at])) return false;
  return true;
}

function oneOf(values: readonly unknown[]): QuickCheck {
  const [only] = values;
  if (values.length === 1) return (value) => value === only;
  const all = new Set(values);
  return (value) => all.has(value);
}

/** A limit on the value's length, size or form. */
function limitOf(check: z.core.$ZodCheck): QuickCheck {
  const def = check._zod.def as unknown as Readonly<Record<string, unknown>> & { readonly check: string };
  return LIMITS[def.check]?.(def) ?? NEVER;
}

type LimitDef = Readonly<Record<string, unknown>>;

const LIMITS: Readonly<Record<string, (def: LimitDef) => QuickCheck>> = {
  min_length:
    ({ minimum }) =>
    (value) =>
      (value as string).length >= Number(minimum),
  max_length:
    ({ maximum }) =>
    (value) =>
      (value as string).length <= Number(maximum),
  greater_than: ({ value: least, inclusive }) =>
    inclusive === true ? (value) => Number(value) >= Number(least) : (value) => Number(value) > Number(least),
  less_than: ({ value: most, inclusive }) =>
    inclusive === true ? (value) => Number(value) <= Number(most) : (value) => Number(value) < Number(most),
  number_format: ({ format }) => (format === 'safeint' ? Number.isSafeInteger : NEVER),
  string_format: ({ format, pattern }) => {
    // An expression that remembers where it was would answer differently each time.
    if (format !== 'regex' || !(pattern instanceof RegExp) || pattern.global || pattern.sticky) return NEVER;
    return (value) => pattern.test(value as string);
  },
  custom: ({ fn }) => (typeof fn === 'function' ? (value) => fn(value) === true : NEVER),
};

type Fields = Readonly<Record<string, unknown>>;

function isPlain(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

interface Field {
  readonly name: string;
  readonly optional: boolean;
  readonly check: QuickCheck;
}

/** Unknown fields are left to the schema, which leaves them out or refuses them. */
function objectCheck({ shape = {}, catchall }: Def): QuickCheck {
  if (catchall !== undefined && defOf(catchall).type !== 'never') return NEVER;
  const fields = Object.entries(shape).map(([name, schema]): Field => ({
    name,
    optional: defOf(schema).type === 'optional',
    check: quickCheck(schema),
  }));
  // Every object inherits such a field.
  if (fields.some(({ name }) => name in Object.prototype)) return NEVER;
  return (value) => {
    if (!isPlain(value)) return false;
    const known = knownFields(value, fields);
    return known !== null && known === countOf(value);
  };
}

/** How many of these fields are there; null: one is not valid. */
function knownFields(value: Fields, fields: readonly Field[]): number | null {
  let known = 0;
  for (const { name, optional, check } of fields) {
    const item = value[name];
    if (item !== undefined) {
      if (!check(item)) return null;
      known += 1;
    } else if (!optional) return null;
    else if (Object.hasOwn(value, name)) known += 1;
  }
  return known;
}

function countOf(value: Fields): number {
  let count = 0;
  for (const _name in value) count += 1;
  return count;
}

function recordCheck({ keyType, valueType, mode }: Def): QuickCheck {
  // Names from a closed list have a meaning of their own: each must be there.
  if (keyType === undefined || defOf(keyType).type !== 'string' || mode === 'loose') return NEVER;
  const isKey = quickCheck(keyType);
  const isValue = innerOf(valueType);
  return (value) => {
    if (!isPlain(value)) return false;
    for (const key in value) {
      if (key === '__proto__' || !isKey(key) || !isValue(value[key])) return false;
    }
    return true;
  };
}

const SIMPLE = new Set(['string', 'number', 'boolean', 'null', 'literal', 'enum']);

/** Of objects only with a discriminator: otherwise an earlier option might take the value too, and give another one. */
function unionCheck({ options = [], discriminator }: Def): QuickCheck {
  if (discriminator !== undefined) return chosenBy(discriminator, options);
  if (options.some((option) => !SIMPLE.has(defOf(option).type))) return NEVER;
  const checks = options.map(quickCheck);
  return (value) => checks.some((check) => check(value));
}

function chosenBy(discriminator: string, options: readonly z.core.$ZodType[]): QuickCheck {
  const chosen = new Map<unknown, QuickCheck>();
  for (const option of options) {
    const tag = defOf(option).shape?.[discriminator];
    const def = tag === undefined ? null : defOf(tag);
    if (def?.type !== 'literal') continue;
    const check = quickCheck(option);
    for (const value of def.values ?? []) chosen.set(value, check);
  }
  return (value) => isPlain(value) && chosen.get(value[discriminator])?.(value) === true;
}
