/** Works out text that a script builds from what stands in it: variables that it sets, `echo`, `printf`, `base64 -d` and their like. */
import { baseName } from './spellings.js';
import { decodeBase64, decodeHex, unescapeText } from './decode.js';
import type { ShellCall } from './plan.js';
import type { Piece, ShellBinding, ShellWord } from './tree.js';

/** What is known of the script. */
export interface FoldScene {
  readonly calls: readonly ShellCall[];
  readonly bindings: ReadonlyMap<string, ShellBinding>;
  readonly home: string | null;
  /** What becomes of a variable that the script never sets. */
  readonly unset?: 'empty' | 'unknown';
}

const MAX_DEPTH = 8;
const MAX_TEXT = 20_000;

/** The text of the word when the script itself fixes it; null when it does not. A variable that the script never sets is taken to be empty. */
export function foldWord(word: ShellWord, scene: FoldScene, depth = 0): string | null {
  if (word.literal) return word.value;
  if (depth > MAX_DEPTH) return null;
  let out = '';
  for (const piece of word.pieces) {
    const text = foldPiece(piece, scene, depth);
    if (text === null || out.length > MAX_TEXT) return null;
    out += text;
  }
  return out;
}

function foldPiece(piece: Piece, scene: FoldScene, depth: number): string | null {
  switch (piece.kind) {
    case 'literal':
    case 'glob':
    case 'brace':
      return piece.value;
    case 'home':
      return scene.home ?? '~';
    case 'variable':
      return foldVariable(piece.name, scene, depth);
    case 'dynamic':
      if (/^\$[@*]$/.test(piece.text)) return '';
      return piece.names?.from === 'script' ? foldScript(piece.names.nest, scene, depth + 1) : null;
  }
}

function foldVariable(name: string, scene: FoldScene, depth: number): string | null {
  const binding = scene.bindings.get(name);
  if (binding === undefined && scene.unset === 'unknown') return null;
  if (binding === undefined) return name === 'SHELL' ? 'sh' : '';
  const word = binding.words.length === 1 ? binding.words[0] : undefined;
  if (word === undefined || binding.unknown || binding.readers.length > 0) return null;
  return foldWord(word, scene, depth + 1);
}

/** What a substitution prints, final newlines cut off as the shell does. */
function foldScript(nest: number, scene: FoldScene, depth: number): string | null {
  const calls = scene.calls.filter((call) => call.nest === nest);
  return foldOutput(calls, scene, depth)?.replace(/\n+$/, '') ?? null;
}

/** What the commands of one pipe print in the end; null when nobody knows. */
export function foldOutput(calls: readonly ShellCall[], scene: FoldScene, depth = 0): string | null {
  let text: string | null = null;
  for (const call of calls) {
    if (call.outer >= 0 && calls.some((other) => scene.calls[call.outer] === other)) continue;
    const input: string | null = call.input.kind === 'text' ? call.input.text : text;
    text = foldCall(call, input, scene, depth);
    if (text === null || text.length > MAX_TEXT) return null;
  }
  return text;
}

function foldCall(call: ShellCall, input: string | null, scene: FoldScene, depth: number): string | null {
  const args: string[] = [];
  for (const word of call.args) {
    const text = foldWord(word, scene, depth + 1);
    if (text === null) return null;
    args.push(text);
  }
  const fold = call.program === null ? undefined : PROGRAMS[call.program];
  return fold?.(args, input, call) ?? null;
}

type Fold = (args: readonly string[], input: string | null, call: ShellCall) => string | null;

const PROGRAMS: Readonly<Record<string, Fold>> = {
  __proto__: null as never,
  echo: (args) => {
    const flags = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
    const rest = (flags < 0 ? [] : args.slice(flags)).join(' ');
    return args.slice(0, Math.max(flags, 0)).some((arg) => arg.includes('e')) ? unescapeText(rest) : rest;
  },
  printf: ([format = '', ...args]) => {
    let at = 0;
    return unescapeText(format).replace(/%(?:\.(\d+))?[sbdc]/g, (_all, width: string | undefined) => {
      const value = args[at] ?? '';
      at += 1;
      return width === undefined ? value : value.slice(0, Number(width));
    });
  },
  cat: (args, input) => (args.length === 0 ? input : null),
  rev: (args, input) => (args.length === 0 && input !== null ? [...input].reverse().join('') : null),
  base64: (args, input) =>
    args.some((arg) => /^(?:-[dDi]+|--decode)$/.test(arg)) && input !== null ? decodeBase64(input) : null,
  xxd: (args, input) => (args.some((arg) => /r/.test(arg)) && input !== null ? decodeHex(input) : null),
  tr: ([from = '', to = '', ...more], input) =>
    more.length === 0 && input !== null && !from.startsWith('-') ? translate(input, from, to) : null,
  command: (args) => (/^-[vV]$/.test(args[0] ?? '') ? (args[1] ?? null) : null),
  which: ([name]) => name ?? null,
  basename: ([path]) => (path === undefined ? null : baseName(path)),
  realpath: ([path, ...more]) => (more.length === 0 ? (path ?? null) : null),
  readlink: (args) => args.at(-1) ?? null,
  cd: () => '',
  pwd: (_args, _input, call) => (call.cwds?.length === 1 ? (call.cwds[0] ?? null) : null),
};

/** `tr a-z n-za-m`: characters for characters, ranges written out. */
function translate(input: string, from: string, to: string): string | null {
  const [source, target] = [expandSet(from), expandSet(to)];
  if (source === null || target === null || target === '') return null;
  const last = target.charAt(target.length - 1);
  return [...input]
    .map((char) => (source.includes(char) ? target.charAt(source.lastIndexOf(char)) || last : char))
    .join('');
}

const MAX_SET = 512;

function expandSet(set: string): string | null {
  if (/\[[:=.]/.test(set)) return null;
  const out = unescapeText(set).replace(/(.)-(.)/g, (_all, first: string, last: string) => {
    const count = last.charCodeAt(0) - first.charCodeAt(0) + 1;
    if (count < 1 || count > 256) return '';
    return Array.from({ length: count }, (_none, at) => String.fromCharCode(first.charCodeAt(0) + at)).join('');
  });
  return out.length > MAX_SET ? null : out;
}
