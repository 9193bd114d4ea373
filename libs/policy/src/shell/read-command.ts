/** Reads one simple command of the parser's tree: its assignments, words, redirects, and what it gets on standard input. */
import { isLoadingInShell } from '../commands/environment.js';
import type { Assignment, Command, HereDoc, Redirection, Word } from 'unbash';
import type { ShellAssignment, ShellInput, ShellRedirect, ShellWord } from './tree.js';
import { assignmentWords, readWord, type WordFindings } from './word.js';

/** A simple command in our terms. */
export interface CommandParts {
  readonly assignments: readonly ShellAssignment[];
  readonly words: readonly ShellWord[];
  readonly redirects: readonly ShellRedirect[];
  readonly input: ShellInput;
}

const NO_INPUT: ShellInput = { kind: 'none' };

/** Reads a command; `piped` is what a pipe or an enclosing command feeds it, if anything. */
export function readCommand(node: Command, piped: ShellInput | null, findings: WordFindings): CommandParts {
  const words: ShellWord[] = [];
  if (node.name !== undefined) words.push(readWord(node.name, findings));
  const assignments: ShellAssignment[] = [];
  const redirects: ShellRedirect[] = [];
  let input = piped ?? NO_INPUT;
  for (const item of node.prefix) {
    if (item.type === 'Assignment') assignments.push(readAssignment(item, findings));
    else input = addRedirect(item, redirects, findings) ?? input;
  }
  for (const item of node.suffix) {
    if (item.type === 'Word') words.push(readWord(item, findings));
    else if (item.type === 'Assignment') words.push(assignmentArgument(item, findings));
    else input = addRedirect(item, redirects, findings) ?? input;
  }
  return { assignments, words, redirects, input };
}

/** Reads the redirects of a compound command; `input` is what they feed it, or null. */
export function readRedirects(
  list: readonly Redirection[],
  findings: WordFindings,
): { readonly redirects: readonly ShellRedirect[]; readonly input: ShellInput | null } {
  const redirects: ShellRedirect[] = [];
  let input: ShellInput | null = null;
  for (const item of list) input = addRedirect(item, redirects, findings) ?? input;
  return { redirects, input };
}

function readAssignment(item: Assignment, findings: WordFindings): ShellAssignment {
  const words = assignmentWords(item, findings).map((word) => readWord(word, findings));
  const only = words.length === 1 && item.append !== true && item.index === undefined ? words[0] : undefined;
  return { name: item.name, value: item.value.type === 'Word' ? (only ?? null) : null };
}

/** `export A=$(x)`: an assignment among the arguments. Its text stays one word. */
function assignmentArgument(item: Assignment, findings: WordFindings): ShellWord {
  const { value } = readAssignment(item, findings);
  const head = item.text.slice(0, item.text.indexOf('=') + 1);
  if (value === null)
    return { text: item.text, value: item.text, literal: false, pieces: [{ kind: 'dynamic', text: item.text }] };
  return {
    text: item.text,
    value: head + value.value,
    literal: value.literal,
    pieces: [{ kind: 'literal', value: head, quoted: false }, ...value.pieces],
  };
}

/** Adds the redirect; returns what it means for standard input, if anything. */
function addRedirect(item: Redirection, out: ShellRedirect[], findings: WordFindings): ShellInput | null {
  noteDescriptor(item, findings);
  if (item.type === 'HereDoc') return hereDocument(item, findings);
  const target = readTarget(item, findings);
  if (item.type === 'HereString') {
    return target?.literal === true ? { kind: 'text', text: target.value } : { kind: 'unknown' };
  }
  const access = redirectAccess(item.operator, target);
  out.push(item.operator.endsWith('>>') ? { access, target, appends: true } : { access, target });
  return item.operator === '<' || item.operator === '<>' ? { kind: 'unknown' } : null;
}

/** `{name}<file` sets the variable to a number. */
function noteDescriptor({ descriptor }: Redirection, { doubts }: WordFindings): void {
  if (descriptor?.type === 'FileDescriptorVariable' && isLoadingInShell(descriptor.name))
    doubts.add('loading_variable');
}

function readTarget(item: Exclude<Redirection, HereDoc>, findings: WordFindings): ShellWord | null {
  const target = item.target === undefined ? null : readWord(item.target, findings);
  if (target === null) findings.doubts.add('syntax');
  else if (!target.literal) findings.shapes.add('open_redirect');
  return target;
}

function redirectAccess(operator: string, target: ShellWord | null): 'read' | 'write' | null {
  if (operator === '<') return 'read';
  if ((operator === '>&' || operator === '<&') && target !== null && /^(?:\d+-?|-)$/.test(target.value)) return null;
  return 'write';
}

function hereDocument(item: HereDoc, findings: WordFindings): ShellInput {
  if (item.closing === undefined) findings.doubts.add('syntax');
  if (item.delimiter?.quoted !== true) findings.shapes.add('here_document');
  let literal = true;
  if (item.body.parts !== undefined && item.delimiter?.quoted !== true) {
    const word: Word = {
      type: 'Word',
      text: item.body.text,
      value: item.body.text,
      pos: item.pos,
      end: item.end,
      parts: item.body.parts,
    };
    literal = readWord(word, findings).literal;
  }
  return literal ? { kind: 'text', text: item.body.text } : { kind: 'unknown' };
}
