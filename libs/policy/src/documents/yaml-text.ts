/** Reads YAML 1.2 into a tree with places: one document, core tags only, aliases expanded within a budget. */
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node, type Pair } from 'yaml';
import {
  FORBIDDEN_KEY,
  MAX_TEXT_DEPTH,
  MAX_TEXT_NODES,
  quoted,
  refusal,
  type Place,
  type TextEntry,
  type TextNode,
  type TextResult,
} from './text-node.js';

const CORE_TAG = /^tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq)$/;
/** Deeper indentation or bracketing than this is refused before the parser sees it: its own recursion is not bounded. */
const MAX_OPEN_BRACKETS = 200;

interface Walk {
  readonly document: Document;
  readonly lines: LineCounter;
  nodes: number;
}

/** Thrown inside this file only: the first flaw ends the walk. */
class YamlFlaw extends Error {
  constructor(
    message: string,
    readonly at: Place,
  ) {
    super(message);
  }
}

/** Parses one YAML document. An empty text is an empty table. */
export function readYamlText(text: string): TextResult {
  const crowded = tooCrowded(text);
  if (crowded) return refusal(crowded);
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      version: '1.2',
      schema: 'core',
      merge: false,
      resolveKnownTags: false,
      prettyErrors: false,
      // INVARIANT: walkPairs refuses duplicates; the parser's own check is quadratic.
      uniqueKeys: false,
      logLevel: 'error',
    });
    const flaw = document.errors[0] ?? document.warnings[0];
    if (flaw) return refusal(messageOf(flaw.code, flaw.message), placeIn(lines, flaw.pos[0]));
    const walk: Walk = { document, lines, nodes: 0 };
    if (document.contents === null)
      return { ok: true, node: { kind: 'table', at: { line: 1, column: 1 }, entries: [] } };
    return { ok: true, node: walkNode(walk, document.contents, 0) };
  } catch (flaw) {
    if (flaw instanceof YamlFlaw) return refusal(flaw.message, flaw.at);
    return refusal('the text cannot be read as YAML');
  }
}

function tooCrowded(text: string): string | undefined {
  let open = 0;
  let dashes = 0;
  for (const found of text.matchAll(/[[{\]}\n]|[-?:] (?=[-?:] )/g)) {
    const unit = found[0];
    if (unit === '[' || unit === '{') open += 1;
    else if (unit === ']' || unit === '}') open = Math.max(0, open - 1);
    else dashes = unit === '\n' ? 0 : dashes + 1;
    if (open > MAX_OPEN_BRACKETS || dashes > MAX_TEXT_DEPTH)
      return `nested deeper than ${String(MAX_TEXT_DEPTH)} levels`;
  }
  return undefined;
}

function messageOf(code: string, message: string): string {
  if (code === 'MULTIPLE_DOCS') return 'only one document may stand in the file';
  if (code === 'TAG_RESOLVE_FAILED') return 'tags of your own are not allowed';
  if (code === 'TAB_AS_INDENT') return 'indent with spaces, not with tabs';
  const plain = (message.split('\n')[0] ?? message).replace(/[.\s]+$/, '');
  return `not valid YAML: ${plain.charAt(0).toLowerCase()}${plain.slice(1)}`;
}

function placeIn(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

function placeOfNode(walk: Walk, node: Node): Place {
  return placeIn(walk.lines, node.range?.[0] ?? 0);
}

function walkNode(walk: Walk, node: Node, depth: number): TextNode {
  const at = placeOfNode(walk, node);
  walk.nodes += 1;
  if (walk.nodes > MAX_TEXT_NODES) throw new YamlFlaw(`more than ${String(MAX_TEXT_NODES)} values`, at);
  if (depth > MAX_TEXT_DEPTH) throw new YamlFlaw(`nested deeper than ${String(MAX_TEXT_DEPTH)} levels`, at);
  if (isAlias(node)) return walkAlias(walk, node, depth);
  checkTag(node, at);
  if (isMap(node)) return { kind: 'table', at, entries: walkPairs(walk, node.items, depth) };
  if (isSeq(node)) return { kind: 'list', at, items: node.items.map((item) => walkItem(walk, item, at, depth)) };
  if (isScalar(node)) return { kind: 'scalar', at, value: scalarValue(node.value, at) };
  throw new YamlFlaw('this kind of value is not allowed', at);
}

/** INVARIANT: an alias that holds itself ends at the depth limit, one that multiplies at the node limit. */
function walkAlias(walk: Walk, node: Node, depth: number): TextNode {
  const at = placeOfNode(walk, node);
  const target = isAlias(node) ? node.resolve(walk.document) : undefined;
  if (!target) throw new YamlFlaw('the alias names no anchor', at);
  return { ...walkNode(walk, target, depth + 1), at };
}

function checkTag(node: Node, at: Place): void {
  const tag = 'tag' in node ? node.tag : undefined;
  if (tag !== undefined && !CORE_TAG.test(tag)) throw new YamlFlaw(`the tag ${quoted(tag)} is not allowed`, at);
}

function walkItem(walk: Walk, item: unknown, at: Place, depth: number): TextNode {
  if (item === null || item === undefined) return { kind: 'scalar', at, value: null };
  return walkNode(walk, item as Node, depth + 1);
}

function walkPairs(walk: Walk, pairs: readonly Pair[], depth: number): TextEntry[] {
  const seen = new Set<string>();
  return pairs.map((pair) => {
    const keyNode = pair.key as Node;
    const at = placeOfNode(walk, keyNode);
    const key = isScalar(keyNode) ? keyNode.value : undefined;
    if (typeof key !== 'string') throw new YamlFlaw('every key must be text', at);
    if (key === FORBIDDEN_KEY) throw new YamlFlaw(`${quoted(key)} is no usable key`, at);
    if (key === '<<') throw new YamlFlaw('merge keys are not supported', at);
    if (seen.has(key)) throw new YamlFlaw(`the key ${quoted(key)} stands twice`, at);
    seen.add(key);
    return { key, at, node: walkItem(walk, pair.value, at, depth) };
  });
}

function scalarValue(value: unknown, at: Place): string | number | boolean | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new YamlFlaw(`the value ${quoted(String(value))} is not allowed`, at);
}
