/** Turns the parser's words into ours: quoting undone, expansions named, nested scripts handed back for walking. */
import { isLoadingInShell } from '../commands/environment.js';
import { assignsLoading } from './setters.js';
import {
  forEachChild,
  type ArithmeticExpansionPart,
  type AssignmentPrefix,
  type DoubleQuotedChild,
  type ParameterExpansionPart,
  type ParameterOperation,
  type ParsedScript,
  type SyntaxNode,
  type Word,
  type WordPart,
} from 'unbash';
import type { ShellShape } from './shapes.js';
import type { NamesOf, Piece, ShellDoubt, ShellWord } from './tree.js';
import { noteAssigned, noteEvaluated, type ScriptVariables } from './variables.js';

/** What reading words leaves behind: scripts inside substitutions, and doubts. */
export interface WordFindings {
  readonly nested: { script: ParsedScript | undefined; nest?: number }[];
  /** Hands out the numbers of substitutions. */
  readonly nests: { next: number };
  readonly doubts: Set<ShellDoubt>;
  readonly shapes: Set<ShellShape>;
  readonly variables: ScriptVariables;
}

/**
 * Notes what arithmetic evaluates. The text of a variable is evaluated again, so `x='a[$(id)]'; echo $((x))` runs id; an
 * index, a substitution or a positional parameter is beyond us.
 */
export function noteArithmetic(text: string, findings: WordFindings): void {
  const plain = text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, '$1');
  if (/[[`{]|\$[^A-Za-z_]/.test(plain)) findings.doubts.add('indirect_expansion');
  if (assignsLoading(text)) findings.doubts.add('loading_variable');
  for (const name of plain.match(/[A-Za-z_][A-Za-z0-9_]*/g) ?? []) {
    noteEvaluated(findings.variables, name);
    findings.shapes.add('variable');
  }
}

const ZSH_COMMAND = /^=[^=~]/;

/** By character code: 1 for what means nothing but itself, wherever it stands in a word. */
const PLAIN = new Uint8Array(128);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:,+%@=') {
  PLAIN[char.charCodeAt(0)] = 1;
}

/** True for a word without signs of the shell: what most words are, and what its parser need not be asked about. */
function isPlainText(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (PLAIN[text.charCodeAt(at)] !== 1) return false;
  return !text.startsWith('=');
}

/** Converts one word. Nested scripts and doubts are added to `findings`. */
export function readWord(word: Word, findings: WordFindings): ShellWord {
  const { text } = word;
  if (isPlainText(text)) return wordOf(text);
  const { parts } = word;
  if ((text.startsWith('=') && ZSH_COMMAND.test(text)) || text.includes('***')) findings.doubts.add('other_shell'); // `=cmd` and `***` of zsh
  if (parts === undefined) return plainWord(text, word.value);
  const pieces: Piece[] = [];
  for (const part of parts) addPart(part, pieces, findings);
  if (text.startsWith('~')) splitTilde(pieces);
  return { text, value: word.value, literal: pieces.every((piece) => piece.kind === 'literal'), pieces };
}

function wordOf(text: string): ShellWord {
  return { text, value: text, literal: true, pieces: [{ kind: 'literal', value: text, quoted: false }] };
}

/** A word made of known text, as if written in single quotes. */
export function literalWord(value: string): ShellWord {
  return { text: value, value, literal: true, pieces: [{ kind: 'literal', value, quoted: true }] };
}

/** A word that the calling wrapper fills in, such as the `{}` of `find -exec`. */
export function filledWord(text: string): ShellWord {
  const at = text.indexOf('{}');
  if (at >= 0 && text.includes('{}', at + 2))
    return { text, value: text, literal: false, pieces: [{ kind: 'dynamic', text }] };
  const pieces: Piece[] = [{ kind: 'dynamic', text: at < 0 ? text : '{}', names: { from: 'outer' } }];
  if (at > 0) pieces.unshift({ kind: 'literal', value: text.slice(0, at), quoted: true });
  if (at >= 0 && at + 2 < text.length) pieces.push({ kind: 'literal', value: text.slice(at + 2), quoted: true });
  return { text, value: text, literal: false, pieces };
}

/** A word as if written without quotes: only `~` at its front means something. */
export function bareWord(text: string): ShellWord {
  return plainWord(text, text);
}

function plainWord(text: string, value: string): ShellWord {
  const pieces: Piece[] = [{ kind: 'literal', value, quoted: text !== value }];
  if (text.startsWith('~')) splitTilde(pieces);
  return { text, value, literal: pieces.length === 1 && pieces[0]?.kind === 'literal', pieces };
}

/** `~` and `~/x` are home; `~name`, `~+` and the like are known only to the machine. */
function splitTilde(pieces: Piece[]): void {
  const first = pieces[0];
  if (first?.kind !== 'literal' || !first.value.startsWith('~')) return;
  const slash = first.value.indexOf('/');
  const name = slash < 0 ? first.value : first.value.slice(0, slash);
  const rest: Piece[] = slash < 0 ? [] : [{ ...first, value: first.value.slice(slash) }];
  const head: Piece =
    name === '~' && (slash >= 0 || pieces.length === 1) ? { kind: 'home' } : { kind: 'dynamic', text: name };
  pieces.splice(0, 1, head, ...rest);
}

function addPart(part: WordPart, pieces: Piece[], findings: WordFindings): void {
  switch (part.type) {
    case 'Literal':
      pieces.push({ kind: 'literal', value: part.value, quoted: part.text !== part.value });
      return;
    case 'SingleQuoted':
      pieces.push({ kind: 'literal', value: part.value, quoted: true });
      return;
    case 'AnsiCQuoted':
      findings.shapes.add('ansi_quoting');
      pieces.push(ansiPiece(part.text, part.value));
      return;
    case 'DoubleQuoted':
      addQuoted(part.parts, pieces, findings);
      return;
    case 'Glob':
      pieces.push({ kind: 'glob', value: part.text });
      if (part.kind === 'bracket') part.parts.forEach((inner) => addNestedOf(inner, findings));
      return;
    case 'BraceExpansion':
      pieces.push({ kind: 'brace', value: part.text });
      findings.shapes.add('brace_expansion');
      part.parts?.forEach((inner) => addNestedOf(inner, findings));
      return;
    default:
      addExpansion(part, pieces, findings);
  }
}

/** bash 3.2, bash 5 and zsh read `$'…\<newline>…'` differently, so it is never literal. */
function ansiPiece(text: string, value: string): Piece {
  return text.includes('\\\n') || value.includes('\0')
    ? { kind: 'dynamic', text }
    : { kind: 'literal', value, quoted: true };
}

function addQuoted(children: readonly DoubleQuotedChild[], pieces: Piece[], findings: WordFindings): void {
  if (children.length === 0) pieces.push({ kind: 'literal', value: '', quoted: true });
  for (const child of children) {
    if (child.type === 'Literal') pieces.push({ kind: 'literal', value: child.value, quoted: true });
    else addExpansion(child, pieces, findings);
  }
}

type ExpansionPart = Exclude<
  WordPart,
  { type: 'Literal' | 'SingleQuoted' | 'AnsiCQuoted' | 'DoubleQuoted' | 'Glob' | 'BraceExpansion' }
>;

function addExpansion(part: ExpansionPart, pieces: Piece[], findings: WordFindings): void {
  switch (part.type) {
    case 'SimpleExpansion':
      if (part.text !== '$HOME') findings.shapes.add('variable');
      pieces.push(part.text === '$HOME' ? { kind: 'home' } : variablePiece(part.text.slice(1), part.text));
      return;
    case 'ParameterExpansion':
      findings.shapes.add('variable');
      pieces.push(parameterPiece(part, findings));
      return;
    case 'CommandExpansion':
      if (/^\$\{[\s|]/.test(part.text)) findings.doubts.add('other_shell'); // `${ cmd; }`
      break;
    case 'LocaleString':
      findings.shapes.add('ansi_quoting');
      addQuoted(part.parts, [], findings);
      break;
    case 'ExtendedGlob':
      findings.doubts.add('other_shell');
      part.parts?.forEach((inner) => addNestedOf(inner, findings));
      break;
    case 'ArithmeticExpansion':
    case 'ProcessSubstitution':
      break;
  }
  if (part.type === 'ArithmeticExpansion') addArithmetic(part, findings);
  const names = addSubstitution(part, findings);
  pieces.push(names === null ? { kind: 'dynamic', text: part.text } : { kind: 'dynamic', text: part.text, names });
}

/** Notes the script inside, if there is one, and says what its output is. */
function addSubstitution(part: ExpansionPart, findings: WordFindings): NamesOf | null {
  if (part.type !== 'CommandExpansion' && part.type !== 'ProcessSubstitution') return null;
  const nest = findings.nests.next;
  findings.nests.next += 1;
  findings.nested.push({ script: part.script, nest });
  findings.shapes.add('substitution');
  return part.type === 'CommandExpansion' ? { from: 'script', nest } : { from: 'stream' };
}

/** `$((…))` and `$[…]`: its variables are noted, its substitutions walked. */
function addArithmetic(part: ArithmeticExpansionPart, findings: WordFindings): void {
  noteArithmetic(part.text.replace(/^\$(?:\(\(|\[)/, '').replace(/(?:\)\)|\])$/, ''), findings);
  const pending: SyntaxNode[] = [part];
  while (pending.length > 0) {
    const next = pending.pop();
    if (
      next?.type === 'CommandExpansion' ||
      next?.type === 'ProcessSubstitution' ||
      next?.type === 'ArithmeticCommandExpansion'
    ) {
      findings.nested.push(next);
      findings.shapes.add('substitution');
    } else if (next !== undefined) forEachChild(next, (child) => pending.push(child));
  }
}

function variablePiece(name: string, text: string): Piece {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? { kind: 'variable', name } : { kind: 'dynamic', text };
}

function parameterPiece(part: ParameterExpansionPart, findings: WordFindings): Piece {
  const { operation, prefix, index } = part;
  if (operation === undefined && prefix === undefined && index === undefined) {
    return part.parameter === 'HOME' ? { kind: 'home' } : variablePiece(part.parameter, part.text);
  }
  if (prefix === '!') findings.doubts.add('indirect_expansion'); // `${!x}` reads the variable that x names
  if (index !== undefined) addIndex(index, findings);
  if (operation !== undefined) addOperation(operation, findings, part.parameter);
  return { kind: 'dynamic', text: part.text };
}

/** `${x@P}` runs substitutions inside x; a slice is arithmetic. */
function addOperation(operation: ParameterOperation, findings: WordFindings, name: string): void {
  if (operation.type === 'Default' && operation.operator.endsWith('=')) {
    noteAssigned(findings.variables, name);
    if (isLoadingInShell(name)) findings.doubts.add('loading_variable');
  }
  if (operation.type === 'Transform' || operation.type === 'Unknown') findings.doubts.add('indirect_expansion');
  for (const word of operandWords(operation)) addNestedWord(word, findings);
  if (operation.type === 'Slice') noteArithmetic(`${operation.offset.text} ${operation.length?.text ?? ''}`, findings);
}

/** An index is arithmetic, unless it takes all elements. */
function addIndex(index: Word, findings: WordFindings): void {
  addNestedWord(index, findings);
  if (index.text !== '@' && index.text !== '*') noteArithmetic(index.text, findings);
}

function operandWords(operation: ParameterOperation): Word[] {
  switch (operation.type) {
    case 'Replace':
      return [operation.pattern, operation.replacement];
    case 'Slice':
      return operation.length === undefined ? [operation.offset] : [operation.offset, operation.length];
    case 'Default':
    case 'Remove':
    case 'Transform':
      return [operation.operand];
    case 'CaseModification':
      return operation.operand === undefined ? [] : [operation.operand];
    case 'Names':
    case 'Unknown':
      return [];
  }
}

function addNestedWord(word: Word, findings: WordFindings): void {
  word.parts?.forEach((part) => addNestedOf(part, findings));
}

function addNestedOf(part: WordPart, findings: WordFindings): void {
  addPart(part, [], findings);
}

/** The words that an assignment gives: its value, or its array's elements. Its index is read for what it evaluates. */
export function assignmentWords(assignment: AssignmentPrefix, findings: WordFindings): Word[] {
  if (assignment.index !== undefined) addIndex(assignment.index, findings);
  if (assignment.index !== undefined || assignment.value.type === 'ArrayValue') findings.shapes.add('array');
  return assignment.value.type === 'ArrayValue' ? [...assignment.value.elements] : [assignment.value];
}
