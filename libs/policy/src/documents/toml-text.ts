/** Reads TOML into a tree; places come from a scan for keys, since the parser keeps none. */
import { parse, TomlError } from 'smol-toml';
import { scanTomlPlaces, type TomlPlaces } from './toml-places.js';
import {
  FORBIDDEN_KEY,
  MAX_TEXT_DEPTH,
  MAX_TEXT_NODES,
  pathText,
  quoted,
  refusal,
  type Place,
  type TextNode,
  type TextPath,
  type TextResult,
} from './text-node.js';

interface Build {
  readonly places: TomlPlaces;
  nodes: number;
}

/** Thrown inside this file only. */
class TomlFlaw extends Error {
  constructor(
    message: string,
    readonly at: Place,
  ) {
    super(message);
  }
}

/** Parses a TOML text. Dates and times become their text; `nan`, `inf` and integers beyond 2^53 are refused. */
export function readTomlText(text: string): TextResult {
  try {
    const value = parse(text, { maxDepth: MAX_TEXT_DEPTH });
    const build: Build = { places: scanTomlPlaces(text), nodes: 0 };
    return { ok: true, node: buildNode(build, value, [], { line: 1, column: 1 }) };
  } catch (flaw) {
    if (flaw instanceof TomlFlaw) return refusal(flaw.message, flaw.at);
    if (flaw instanceof TomlError)
      return refusal(messageOf(flaw), { line: flaw.line, column: Math.max(1, flaw.column) });
    return refusal('the text cannot be read as TOML');
  }
}

function messageOf(flaw: TomlError): string {
  const first = (flaw.message.split('\n')[0] ?? '').replace(/^Invalid TOML document:\s*/, '').replace(/[.\s]+$/, '');
  if (first.includes('redefine')) return 'the key or table stands twice';
  if (first.includes('excessively nested')) return `nested deeper than ${String(MAX_TEXT_DEPTH)} levels`;
  return `not valid TOML: ${first.charAt(0).toLowerCase()}${first.slice(1)}`;
}

function buildNode(build: Build, value: unknown, path: TextPath, above: Place): TextNode {
  const at = build.places.get(pathText(path)) ?? above;
  build.nodes += 1;
  if (build.nodes > MAX_TEXT_NODES) throw new TomlFlaw(`more than ${String(MAX_TEXT_NODES)} values`, at);
  if (path.length > MAX_TEXT_DEPTH) throw new TomlFlaw(`nested deeper than ${String(MAX_TEXT_DEPTH)} levels`, at);
  if (Array.isArray(value)) {
    return { kind: 'list', at, items: value.map((item, i) => buildNode(build, item, [...path, i], at)) };
  }
  if (value instanceof Date) return { kind: 'scalar', at, value: dateText(value) };
  if (typeof value === 'object' && value !== null) return buildTable(build, value, path, at);
  return { kind: 'scalar', at, value: scalarValue(value, at) };
}

function buildTable(build: Build, value: object, path: TextPath, at: Place): TextNode {
  const entries = Object.entries(value).map(([key, member]) => {
    const place = build.places.get(pathText([...path, key])) ?? at;
    if (key === FORBIDDEN_KEY) throw new TomlFlaw(`${quoted(key)} is no usable key`, place);
    return { key, at: place, node: buildNode(build, member, [...path, key], place) };
  });
  return { kind: 'table', at, entries };
}

function dateText(value: Date): string {
  return Number.isNaN(value.getTime()) ? 'an impossible date' : value.toISOString();
}

function scalarValue(value: unknown, at: Place): string | number | boolean {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new TomlFlaw(`the value ${quoted(String(value))} is not allowed`, at);
}
