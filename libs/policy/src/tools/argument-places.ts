/** Reads values out of arguments by place: `file_path`, `target.path`, `edits[].new_string`. */
import type { ArgumentPlace } from './manifest.js';
import { isTable } from './json-schema.js';

/** The values at a place. `missing`: somewhere on the way something was absent or of another shape. */
export interface PlaceValues {
  readonly values: readonly unknown[];
  readonly missing: boolean;
}

const MAX_VALUES = 1_000;
const STEP = /^[^.[\]]+(?:\[\])?$/;

/** True when the text is a place that can be read. */
export function isPlace(place: ArgumentPlace): boolean {
  return place.split('.').every((step) => STEP.test(step));
}

/** A name at the top, which nearly all places are. */
function isPlain(place: ArgumentPlace): boolean {
  return !place.includes('.') && !place.includes('[');
}

/** True when the argument that the place begins with is not there at all. */
export function isAbsent(args: Readonly<Record<string, unknown>>, place: ArgumentPlace): boolean {
  const name = isPlain(place) ? place : (place.split('.')[0] ?? '').replace(/\[\]$/, '');
  return !Object.hasOwn(args, name) || args[name] === undefined;
}

/** All values at the place, in order. A list with more than 1,000 counts as missing, so that nothing goes unseen. */
export function valuesAt(args: Readonly<Record<string, unknown>>, place: ArgumentPlace): PlaceValues {
  if (isPlain(place)) {
    const value = Object.hasOwn(args, place) ? args[place] : undefined;
    return value === undefined ? { values: [], missing: true } : { values: [value], missing: false };
  }
  if (!isPlace(place)) return { values: [], missing: true };
  let values: unknown[] = [args];
  let missing = false;
  for (const step of place.split('.')) {
    const next = values.map((value) => stepInto(value, step));
    missing ||= next.includes(null);
    values = next.flatMap((found) => found ?? []);
    if (values.length > MAX_VALUES) return { values: [], missing: true };
  }
  return { values, missing };
}

/** The member or the items that a step leads to; null when there is none of that shape. */
function stepInto(value: unknown, step: string): readonly unknown[] | null {
  const isList = step.endsWith('[]');
  const name = isList ? step.slice(0, -2) : step;
  const member = isTable(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  if (!isList) return member === undefined ? null : [member];
  return Array.isArray(member) ? (member as unknown[]) : null;
}
