/** Which files a word may name whose value only the running shell knows, as far as the script itself says where it comes from. */
import { expandBraces } from '../shell/braces.js';
import type { ShellCall, ShellPlan } from '../shell/plan.js';
import type { Piece, ShellWord } from '../shell/tree.js';
import { escapeGlob } from '../shell/word-paths.js';
import { outputOf, type NamedPath } from './listings.js';

export type { NamedPath } from './listings.js';

/** What is known while words are looked up. `home` as given; null: unknown. */
export interface NameScene {
  readonly plan: ShellPlan;
  readonly home: string | null;
}

const MAX_NAMES = 64;
const MAX_DEPTH = 6;
const MAX_FEEDERS = 40;
const NOTHING: NamedPath = { path: '', below: false, tail: null, settled: true, whole: true };

/** Everything that the word may name; empty for a pipe that looks like a file; null when nobody knows. */
export function namesOfWord(
  word: ShellWord,
  call: ShellCall,
  plan: ShellPlan,
  home: string | null = null,
): NamedPath[] | null {
  return expandWord(word, call, { plan, home }, 0);
}

/** The same, `depth` look-ups deep. */
export function expandWord(word: ShellWord, call: ShellCall, scene: NameScene, depth: number): NamedPath[] | null {
  if (depth > MAX_DEPTH) return null;
  if (word.pieces.some((piece) => piece.kind === 'dynamic' && piece.names?.from === 'stream')) {
    return word.pieces.length === 1 ? [] : null;
  }
  let out: NamedPath[] | null = [NOTHING];
  for (const piece of word.pieces) {
    out = product(out, choicesOf(piece, call, scene, depth));
    if (out === null) return null;
  }
  return out.map((name) => ({ ...name, settled: name.settled && !name.path.startsWith('-') }));
}

function product(heads: readonly NamedPath[], tails: readonly NamedPath[] | null): NamedPath[] | null {
  if (tails === null || heads.length * tails.length > MAX_NAMES) return null;
  const out: NamedPath[] = [];
  for (const head of heads) {
    for (const tail of tails) {
      const joined = join(head, tail);
      if (joined === null) return null;
      out.push(joined);
    }
  }
  return out;
}

function join(head: NamedPath, tail: NamedPath): NamedPath | null {
  if (head.path === '') return tail;
  if (tail.path === '') return head;
  if (head.below) {
    // Text behind a name stays below its folder only as a longer path.
    return tail.path.startsWith('/') && !tail.path.includes('..') ? { ...head, tail: null } : null;
  }
  if (!tail.below) return { ...tail, path: head.path + tail.path, settled: head.settled };
  const folder = head.path.slice(0, head.path.lastIndexOf('/') + 1);
  return { ...tail, path: folder === '' ? '.' : folder, tail: null, settled: head.settled };
}

function choicesOf(piece: Piece, call: ShellCall, scene: NameScene, depth: number): NamedPath[] | null {
  switch (piece.kind) {
    case 'literal':
      return [{ ...NOTHING, path: escapeGlob(piece.value) }];
    case 'glob':
      return [{ ...NOTHING, path: piece.value, settled: false }];
    case 'home':
      return scene.home === null ? null : [{ ...NOTHING, path: scene.home }];
    case 'brace':
      return expandBraces(piece.value)?.map((path) => ({ ...NOTHING, path })) ?? null;
    case 'variable':
      return boundNames(piece.name, call, scene, depth);
    case 'dynamic':
      return dynamicNames(piece, call, scene, depth);
  }
}

/** Every value that the script gives the variable anywhere. */
function boundNames(name: string, call: ShellCall, scene: NameScene, depth: number): NamedPath[] | null {
  const binding = scene.plan.bindings.get(name);
  if (binding === undefined || binding.unknown || binding.words.length > MAX_NAMES) return null;
  const given = binding.words.map((word) =>
    word.literal ? literalNames(word.value) : expandWord(word, call, scene, depth + 1),
  );
  const read = binding.readers.map((number) => {
    const reader = scene.plan.calls[number];
    return reader === undefined ? null : inputNames(reader, scene, depth + 1);
  });
  return together([...given, ...read]);
}

/** All of them; null when one is unknown, or they are none or too many. */
function together(parts: readonly (readonly NamedPath[] | null)[]): NamedPath[] | null {
  if (parts.includes(null)) return null;
  const out = parts.flatMap((part) => part ?? []);
  return out.length === 0 || out.length > MAX_NAMES ? null : out;
}

/** Text of a variable: unquoted, the shell splits it at blanks and expands its wildcards. */
function literalNames(value: string): NamedPath[] {
  const parts = /\s/.test(value) ? [value, ...value.split(/\s+/)] : [value];
  return parts.filter((path) => path !== '' || value === '').map((path) => ({ ...NOTHING, path }));
}

function dynamicNames(
  piece: Extract<Piece, { kind: 'dynamic' }>,
  call: ShellCall,
  scene: NameScene,
  depth: number,
): NamedPath[] | null {
  if (depth > MAX_DEPTH || piece.names === undefined) return null;
  if (piece.names.from === 'script') {
    const { nest } = piece.names;
    const inside = scene.plan.calls.filter((one) => one.nest === nest);
    const [first] = inside;
    return first === undefined ? null : printedNames(inside, scene.plan.calls.indexOf(first), scene, depth + 1);
  }
  const outer = scene.plan.calls[call.outer];
  if (piece.names.from !== 'outer' || outer === undefined) return null;
  return outer.program === 'find' ? ownNames(outer, scene, depth) : inputNames(outer, scene, depth + 1);
}

function ownNames(call: ShellCall, scene: NameScene, depth: number): NamedPath[] | null {
  const names = outputOf(call, (word) => expandWord(word, call, scene, depth + 1));
  return names === null || typeof names === 'string' ? null : [...names];
}

/** What a command reads from its input, line by line. */
function inputNames(call: ShellCall, scene: NameScene, depth: number): NamedPath[] | null {
  const { input } = call;
  if (depth > MAX_DEPTH) return null;
  if (input.kind === 'text') return literalNames(input.text.trim());
  if (input.kind !== 'pipe') return null;
  return printedNames(scene.plan.calls.slice(input.from, scene.plan.calls.indexOf(call)), input.from, scene, depth);
}

/** What all the commands together print: some name files, the others pass on whole lines of those in front of them. */
function printedNames(calls: readonly ShellCall[], from: number, scene: NameScene, depth: number): NamedPath[] | null {
  if (calls.length > MAX_FEEDERS) return null;
  const parts: (readonly NamedPath[] | null)[] = [];
  let whole = true;
  for (const call of calls) {
    const names = outputOf(call, (word) => expandWord(word, call, scene, depth + 1));
    if (names === 'keeps') {
      parts.push(keptNames(call, from));
      whole &&= KEEP_ALL.has(call.program ?? '');
    } else if (names !== 'silent') parts.push(names);
  }
  const out = together(parts);
  return whole ? out : (out?.map((name) => ({ ...name, whole: false })) ?? null);
}

/** Filters that pass on every line. */
const KEEP_ALL = new Set(['sort', 'cat', 'tac', 'tr', 'shuf']);

/** What a filter adds itself: its input when that is text; null when it is fed by something that is not looked at. */
function keptNames(call: ShellCall, from: number): readonly NamedPath[] | null {
  if (!isFedWithin(call, from)) return null;
  return call.input.kind === 'text' ? literalNames(call.input.text.trim()) : [];
}

/** A command that passes its input on must get it from the same pipe, or as text. */
function isFedWithin(call: ShellCall, from: number): boolean {
  const { input } = call;
  return input.kind === 'text' || (input.kind === 'pipe' && input.from >= from);
}
