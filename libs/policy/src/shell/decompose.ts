/** Takes a script apart into calls: every simple command, and every command that a wrapper inside it runs. */
import { operandsOf } from '../commands/operands.js';
import { expandBraces } from './braces.js';
import { MAX_FOUND } from './embedded.js';
import { Folders } from './folders.js';
import { hiddenScripts } from './hidden.js';
import { parseShell } from './parse.js';
import type { CallDoubt, ShellCall, ShellLines, ShellPlan } from './plan.js';
import { baseName, elsewhereOf, spellingsOf, textOfCommand } from './spellings.js';
import { setsLoading } from './setters.js';
import type { ShellShape } from './shapes.js';
import type { ShellBinding, ShellCommand, ShellDoubt, ShellInput, ShellScript, ShellWord } from './tree.js';
import { bareWord } from './word.js';
import { runsInput } from './shell-input.js';
import { withinBudget, type WordBudget } from './word-budget.js';
import { unwrap, type Unwrapped } from './wrappers.js';

const MAX_CALLS = 500;
const MAX_WRAPPING = 16;

/** `maxLength` in UTF-16 code units; `cwd` and `home` as given. */
export interface DecomposeOptions {
  readonly maxLength: number;
  readonly cwd: string | null;
  readonly home: string | null;
}

interface Work {
  readonly calls: ShellCall[];
  /** Variables that the script itself sets to known text, by name. */
  readonly variables: Map<string, string>;
  readonly bindings: Map<string, ShellBinding>;
  /** Hands out the numbers of substitutions. */
  readonly nests: { next: number };
  readonly budget: WordBudget;
  readonly doubts: Set<ShellDoubt>;
  readonly shapes: Set<ShellShape>;
  readonly functions: string[];
  readonly lines: ShellLines[];
  readonly maxLength: number;
  readonly home: string | null;
}

interface Origin {
  readonly outer: number;
  readonly depth: number;
  /** Number of the substitution that the outer call stands in, or -1. */
  readonly nest: number;
  readonly foreign: boolean;
  /** What the outer call is fed, and so its first commands too. */
  readonly input?: ShellInput;
  readonly cwds: readonly string[] | null;
}

/** Parses and takes apart a command line. Total; over the limits it adds a doubt and stops. */
export function decompose(source: string, options: DecomposeOptions): ShellPlan {
  const { maxLength, home, cwd } = options;
  // Written out, since objects put together from several others are slow to make and to read.
  const work: Work = {
    calls: [],
    variables: new Map(),
    bindings: new Map(),
    nests: { next: 0 },
    budget: { spent: 0 },
    doubts: new Set(),
    shapes: new Set(),
    functions: [],
    lines: [],
    maxLength,
    home,
  };
  addScript(work, source, { outer: -1, depth: 0, nest: -1, foreign: false, cwds: cwd === null ? null : [cwd] });
  addHidden(work);
  const { calls, doubts, shapes, bindings, functions, lines } = work;
  return { source, calls, doubts: [...doubts], shapes, bindings, functions, lines };
}

function addScript(work: Work, source: string, origin: Origin): void {
  if (isTooMuch(work, origin)) return;
  const script = parseShell(source, work.maxLength, work.nests.next);
  work.nests.next = script.nests;
  for (const doubt of script.doubts) work.doubts.add(doubt);
  for (const shape of script.shapes) work.shapes.add(shape);
  work.functions.push(...script.functions);
  work.lines.push({ rows: script.rows, wholes: script.wholes, foreign: origin.foreign });
  const folders = new Folders(script, origin.cwds);
  const numbers: number[] = [];
  for (const command of script.commands) {
    if (isTooMuch(work, origin)) break;
    numbers.push(work.calls.length);
    const cwds = folders.enter(command, work.home);
    addCall(work, withInput(command, numbers, origin.input), cwds === origin.cwds ? origin : { ...origin, cwds });
  }
  addBindings(work, script, numbers);
}

/** Scripts that calls build or hold; they may hold some themselves. */
function addHidden(work: Work): void {
  for (let number = 0; number < work.calls.length; number += 1) {
    const call = work.calls[number];
    if (call === undefined) return;
    const hidden = hiddenScripts(call, work);
    if (hidden.length === 0) continue;
    if (hidden.length > MAX_FOUND) work.doubts.add('too_many_parts');
    const { input, cwds } = call;
    const origin = { outer: number, depth: depthOf(work, number), nest: -1, input, cwds };
    for (const { text, sure } of hidden) {
      const doubts = sure ? work.doubts : new Set<ShellDoubt>();
      addScript({ ...work, doubts }, text, { foreign: call.foreign || !sure, ...origin });
      if (doubts.has('too_many_parts')) work.doubts.add('too_many_parts');
    }
  }
}

function depthOf(work: Work, number: number): number {
  let depth = 1;
  for (let call = work.calls[number]; call !== undefined && call.outer >= 0; call = work.calls[call.outer]) depth += 1;
  return depth;
}

/** Scripts inside of scripts share their variables, as far as we know. */
function addBindings(work: Work, script: ShellScript, numbers: readonly number[]): void {
  for (const [name, binding] of script.bindings) {
    const known = work.bindings.get(name) ?? { words: [], readers: [], unknown: false };
    for (const word of binding.words) known.words.push(word);
    for (const reader of binding.readers) known.readers.push(numbers[reader] ?? -1);
    known.unknown ||= binding.unknown;
    work.bindings.set(name, known);
  }
}

/** A script counts its commands from its own start; in the plan they have other numbers. */
function withInput(command: ShellCommand, numbers: readonly number[], outer: ShellInput | undefined): ShellCommand {
  if (command.input.kind === 'none' && outer !== undefined) return { ...command, input: outer };
  if (command.input.kind !== 'pipe') return command;
  return { ...command, input: { kind: 'pipe', from: numbers[command.input.from] ?? 0 } };
}

function isTooMuch(work: Work, origin: Origin): boolean {
  if (origin.depth > MAX_WRAPPING) work.doubts.add('too_deep');
  else if (work.calls.length >= MAX_CALLS) work.doubts.add('too_many_parts');
  else return false;
  return true;
}

function addCall(work: Work, command: ShellCommand, origin: Origin): void {
  if (isTooMuch(work, origin)) return;
  const looked = withinBudget(work.budget, command);
  if (looked !== command) work.doubts.add('too_many_parts');
  const call = makeCall(work, looked, origin);
  const number = work.calls.length;
  for (const { name, value } of command.assignments) {
    if (value?.literal === true) work.variables.set(name, value.value);
  }
  work.calls.push(call);
  if (origin.outer >= 0) work.calls[origin.outer]?.inner.push(number);
  if (call.wrapper === null && call.input.kind !== 'text') return;
  const { nest, foreign, input } = call;
  addInner(work, call, { outer: number, depth: origin.depth + 1, nest, foreign, input, cwds: origin.cwds });
}

function makeCall(work: Work, command: ShellCommand, origin: Origin): ShellCall {
  const { assignments, redirects, input, source, reveals } = command;
  const words = withProgramBraces(command.words);
  const name = words[0] ?? null;
  const args = words.slice(1);
  const program = programOf(name);
  const wrapper = program === null ? null : unwrap(program, args);
  const text = textOfCommand(words, source);
  if (program !== null && setsLoading(program, args)) work.doubts.add('loading_variable');
  return {
    program,
    name,
    args,
    assignments,
    redirects,
    operands: operandsOf({ program, args, input, redirects }),
    input,
    source,
    text,
    spellings: spellingsOf(work, words, text),
    elsewhere: program === null ? [] : elsewhereOf(program, args),
    doubt: program === null ? 'dynamic_program' : doubtOf(program, args, { wrapper, input }),
    reveals,
    outer: origin.outer,
    nest: command.nest < 0 ? origin.nest : command.nest,
    foreign: origin.foreign,
    wrapper,
    inner: [],
    cwds: origin.cwds,
  };
}

/** `{ls,-la,src}` is three words, the first of which is the program. */
function withProgramBraces(words: readonly ShellWord[]): readonly ShellWord[] {
  const name = words[0];
  if (name === undefined || name.literal || !name.pieces.some((piece) => piece.kind === 'brace')) return words;
  const expanded = name.pieces.every((piece) => piece.kind === 'brace' || piece.kind === 'literal')
    ? expandBraces(name.text)
    : null;
  return expanded === null ? words : [...expanded.map(bareWord), ...words.slice(1)];
}

function programOf(name: ShellWord | null): string | null {
  if (name === null) return '';
  return name.literal ? baseName(name.value) : null;
}

/** Builtins that change what later names mean. */
const REBINDERS = new Set(['alias', 'hash', 'enable', 'shopt']);

function doubtOf(
  program: string,
  args: readonly ShellWord[],
  how: { wrapper: Unwrapped | null; input: ShellInput },
): CallDoubt | null {
  const { wrapper, input } = how;
  if (REBINDERS.has(program) && args.length > 0) return 'dynamic_script';
  if (wrapper !== null)
    return wrapper.wrapped.some((inner) => inner.kind === 'script' && inner.text === null) ? 'dynamic_script' : null;
  const fed = input.kind === 'pipe' || input.kind === 'unknown';
  return fed && runsInput(program, args) ? 'shell_input' : null;
}

function addInner(work: Work, call: ShellCall, origin: Origin): void {
  for (const inner of call.wrapper?.wrapped ?? []) {
    if (inner.kind === 'words') addCall(work, innerCommand(call, inner.words), origin);
    else if (inner.text !== null) addScript(work, inner.text, origin);
  }
  if (call.input.kind === 'text' && call.wrapper === null && runsInput(call.program, call.args))
    addScript(work, call.input.text, origin);
}

/** What stands behind the words as written, such as redirects of the wrapper, belongs to what it runs. */
function innerCommand(call: ShellCall, words: readonly ShellWord[]): ShellCommand {
  const text = words.map((word) => word.text).join(' ');
  const at = call.redirects.length === 0 && call.input.kind === 'none' ? -1 : call.source.indexOf(text);
  const source = at < 0 ? text : call.source.slice(at);
  const { input, reveals } = call;
  return {
    source,
    assignments: [],
    words,
    redirects: [],
    input,
    reveals,
    scope: 0,
    nest: call.nest,
    chain: 0,
    join: 'first',
  };
}
