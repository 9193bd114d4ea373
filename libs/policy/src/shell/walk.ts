/** Walks the parser's tree with an explicit stack and collects simple commands, nested scripts included, in the order written. */
import { isLoadingInShell } from '../commands/environment.js';
import {
  forEachChild,
  type AndOr,
  type Command,
  type CompoundList,
  type ParsedScript,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type Word,
} from 'unbash';
import { wholeCommand, type Row } from './lines.js';
import { readCommand, readRedirects } from './read-command.js';
import { isQuotedMessage, type ShellShape } from './shapes.js';
import type { ShellCommand, ShellDoubt, ShellInput, ShellJoin, ShellScript, ShellWord } from './tree.js';
import {
  bindingsOf,
  evaluatesIndex,
  evaluatesText,
  noteCommand,
  noteCounter,
  noteLoop,
  reveals,
  type ScriptVariables,
} from './variables.js';
import { noteArithmetic, readWord, type WordFindings } from './word.js';

const MAX_NESTING = 16;
const MAX_NODES = 20_000;

interface Frame {
  readonly node: SyntaxNode;
  readonly source: string;
  readonly scope: number;
  readonly chain: number;
  readonly join: ShellJoin;
  readonly nesting: number;
  readonly nest: number;
  readonly input: ShellInput | null;
  readonly endless: boolean;
}

interface Walk {
  readonly stack: Frame[];
  readonly commands: ShellCommand[];
  readonly scopes: number[];
  readonly functions: string[];
  readonly doubts: Set<ShellDoubt>;
  readonly shapes: Set<ShellShape>;
  readonly variables: ScriptVariables;
  readonly nests: { next: number };
  readonly rows: Row[];
  readonly wholes: string[];
  chains: number;
  nodes: number;
}

/** What is known before the walk: doubts so far, and the first number for substitutions. */
export interface WalkStart {
  readonly doubts: Set<ShellDoubt>;
  readonly firstNest: number;
}

/** Takes a parsed script apart. Over the node cap it stops with the doubt `too_many_parts`. */
export function walkScript(script: ParsedScript, source: string, start: WalkStart): ShellScript {
  const walk: Walk = {
    stack: [],
    commands: [],
    scopes: [-1],
    functions: [],
    doubts: start.doubts,
    shapes: new Set(),
    variables: new Map(),
    nests: { next: start.firstNest },
    rows: [],
    wholes: [],
    chains: 0,
    nodes: 0,
  };
  pushScript(walk, script, { source, scope: 0, nesting: 0, nest: -1, input: null, endless: false });
  while (walk.stack.length > 0) {
    const frame = walk.stack.pop();
    walk.nodes += 1;
    if (frame === undefined || walk.nodes > MAX_NODES) {
      walk.doubts.add('too_many_parts');
      break;
    }
    visit(walk, frame);
  }
  if (evaluatesText(walk.variables)) walk.doubts.add('indirect_expansion');
  const { commands, scopes, functions, shapes, rows, wholes } = walk;
  const bindings = bindingsOf(walk.variables);
  return {
    commands,
    scopes,
    functions,
    bindings,
    nests: walk.nests.next,
    shapes,
    doubts: [...walk.doubts],
    rows,
    wholes,
  };
}

function newFindings(walk: Walk): WordFindings {
  const { doubts, shapes, nests, variables } = walk;
  return { nested: [], nests, doubts, shapes, variables };
}

interface Place {
  readonly source: string;
  readonly scope: number;
  readonly nesting: number;
  readonly nest: number;
  /** What the enclosing commands are fed; null: nothing is known. */
  readonly input: ShellInput | null;
  /** It stands in a loop that runs until a condition says otherwise. */
  readonly endless: boolean;
}

function pushScript(walk: Walk, script: ParsedScript, place: Place): void {
  if (script.errors !== undefined && script.errors.length > 0) walk.doubts.add('syntax');
  const inner = script.source;
  pushStatements(
    walk,
    script.commands,
    inner === undefined || inner === place.source ? place : { ...place, source: inner },
  );
}

function pushStatements(walk: Walk, statements: readonly Statement[], place: Place): void {
  walk.rows.push({ source: place.source, parts: statements });
  for (let index = statements.length - 1; index >= 0; index -= 1) {
    const statement = statements[index];
    if (statement === undefined) continue;
    walk.chains += 1;
    if (statement.background === true) {
      walk.shapes.add('background');
      if (place.endless) walk.shapes.add('endless_background');
    }
    const scope = statement.background === true ? newScope(walk, place.scope) : place.scope;
    const { source, nesting, nest, input, endless } = place;
    const node = statement.command;
    walk.stack.push({ source, scope, nesting, nest, input, endless, node, chain: walk.chains, join: 'first' });
  }
}

function newScope(walk: Walk, parent: number): number {
  walk.scopes.push(parent);
  return walk.scopes.length - 1;
}

function pushChild(walk: Walk, frame: Frame, node: SyntaxNode | undefined): void {
  if (node !== undefined) walk.stack.push({ ...frame, node });
}

function pushList(walk: Walk, frame: Frame, list: CompoundList | undefined): void {
  if (list !== undefined) pushStatements(walk, list.commands, frame);
}

/** One node of the parser's tree. Children go on the stack in reverse, so that commands come out in the order written. */
function visit(walk: Walk, frame: Frame): void {
  const { node } = frame;
  switch (node.type) {
    case 'Command':
      addCommand(walk, frame, node);
      return;
    case 'AndOr':
      pushAndOr(walk, frame, node);
      return;
    case 'Pipeline':
      walk.rows.push({ source: frame.source, parts: node.commands });
      if (node.prefixes.some((prefix) => prefix.type === 'Time')) walk.shapes.add('time');
      for (let index = node.commands.length - 1; index >= 0; index -= 1) {
        const input: ShellInput | null = index > 0 ? { kind: 'pipe', from: walk.commands.length } : frame.input;
        const child = node.commands[index];
        if (child !== undefined) walk.stack.push({ ...frame, node: child, scope: newScope(walk, frame.scope), input });
      }
      return;
    case 'Redirected':
      pushChild(walk, { ...frame, input: addRedirects(walk, frame, node.redirects) ?? frame.input }, node.command);
      return;
    default:
      visitCompound(walk, frame);
  }
}

function pushAndOr(walk: Walk, frame: Frame, node: AndOr): void {
  walk.rows.push({ source: frame.source, parts: node.commands });
  for (let index = node.commands.length - 1; index >= 0; index -= 1) {
    const child = node.commands[index];
    const join = index === 0 ? 'first' : (node.operators[index - 1] ?? '||');
    if (child !== undefined) walk.stack.push({ ...frame, node: child, join });
  }
}

function visitCompound(walk: Walk, frame: Frame): void {
  const { node } = frame;
  switch (node.type) {
    case 'If':
      pushList(walk, frame, node.else);
      for (const elif of [...node.elif].reverse()) {
        pushList(walk, frame, elif.then);
        pushList(walk, frame, elif.clause);
      }
      pushList(walk, frame, node.then);
      pushList(walk, frame, node.clause);
      return;
    case 'While':
      pushList(walk, { ...frame, endless: true }, node.body);
      pushList(walk, { ...frame, endless: true }, node.clause);
      return;
    case 'For':
    case 'Select':
      if (node.type === 'Select') walk.shapes.add('select');
      if (isLoadingInShell(node.name.value)) walk.doubts.add('loading_variable');
      pushList(walk, node.type === 'Select' ? { ...frame, endless: true } : frame, node.body);
      noteLoop(
        walk.variables,
        node.name.value,
        node.wordlist === undefined ? null : addWords(walk, frame, node.wordlist),
      );
      return;
    case 'BraceGroup':
      walk.shapes.add('group');
      pushList(walk, frame, node.body);
      return;
    case 'Subshell':
      walk.shapes.add('subshell');
      pushList(walk, { ...frame, scope: newScope(walk, frame.scope) }, node.body);
      return;
    case 'Case':
      walk.shapes.add('case');
      for (const item of [...node.items].reverse()) pushList(walk, frame, item.body);
      addWords(walk, frame, [node.word, ...node.items.flatMap((item) => [...item.pattern])]);
      return;
    default:
      visitRare(walk, frame);
  }
}

function visitRare(walk: Walk, frame: Frame): void {
  const { node } = frame;
  switch (node.type) {
    case 'Function':
      walk.doubts.add('function');
      walk.functions.push(node.name.value);
      if (node.body.type === 'CompoundList') pushList(walk, frame, node.body);
      else pushChild(walk, frame, node.body);
      return;
    case 'Coproc':
      walk.doubts.add('coproc');
      if (node.body.type === 'CompoundList') pushList(walk, frame, node.body);
      else pushChild(walk, frame, node.body);
      return;
    case 'TestCommand':
      addExpression(walk, frame, node);
      return;
    case 'ArithmeticFor':
      walk.shapes.add('arithmetic');
      pushList(walk, { ...frame, endless: true }, node.body);
      for (const part of [node.initialize, node.test, node.update]) {
        if (part === undefined) continue;
        addArithmetic(walk, frame, part);
        noteCounter(walk.variables, frame.source.slice(part.pos, part.end));
      }
      return;
    case 'ArithmeticCommand':
      walk.shapes.add('arithmetic');
      if (node.expression !== undefined) addArithmetic(walk, frame, node.expression);
      else if (node.body.trim() !== '') walk.doubts.add('indirect_expansion');
      return;
    default:
      walk.doubts.add('syntax');
  }
}

/** `[[ … ]]` and arithmetic: nothing in them is a command, but substitutions and `-v a[$(x)]` run some. */
function addExpression(walk: Walk, frame: Frame, node: SyntaxNode): void {
  const pending: SyntaxNode[] = [node];
  const findings: WordFindings = newFindings(walk);
  while (pending.length > 0) {
    const next = pending.pop();
    if (next === undefined) break;
    walk.nodes += 1;
    noteTest(next, findings);
    if (next.type === 'Word') readWord(next, findings);
    else if (
      next.type === 'CommandExpansion' ||
      next.type === 'ProcessSubstitution' ||
      next.type === 'ArithmeticCommandExpansion'
    ) {
      findings.nested.push(next);
      findings.shapes.add('substitution');
    } else forEachChild(next, (child) => pending.push(child));
  }
  pushNested(walk, frame, findings);
}

const ARITHMETIC_TEST = /^-(?:eq|ne|lt|le|gt|ge)$/;

/** `[[ -v a[…] ]]` and `[[ x -eq y ]]` evaluate their operands. */
function noteTest(node: SyntaxNode, findings: WordFindings): void {
  if (node.type === 'TestUnary' && (node.operator === '-v' || node.operator === '-R'))
    findings.doubts.add('indirect_expansion');
  if (node.type === 'TestBinary' && ARITHMETIC_TEST.test(node.operator))
    noteArithmetic(`${node.left.value} ${node.right.value}`, findings);
}

function addArithmetic(walk: Walk, frame: Frame, node: SyntaxNode): void {
  noteArithmetic(frame.source.slice(node.pos, node.end), newFindings(walk));
  addExpression(walk, frame, node);
}

/** Reads words that belong to no command, only for what they run. */
function addWords(walk: Walk, frame: Frame, words: readonly Word[]): ShellWord[] {
  const findings: WordFindings = newFindings(walk);
  const out = words.map((word) => readWord(word, findings));
  pushNested(walk, frame, findings);
  return out;
}

function newNest(walk: Walk): number {
  walk.nests.next += 1;
  return walk.nests.next - 1;
}

function pushNested(walk: Walk, frame: Frame, findings: WordFindings): void {
  for (let index = findings.nested.length - 1; index >= 0; index -= 1) {
    if (frame.nesting >= MAX_NESTING) {
      walk.doubts.add('too_deep');
      return;
    }
    const { script, nest } = findings.nested[index] ?? {};
    const { source, input } = frame;
    const scope = newScope(walk, frame.scope);
    const { endless } = frame;
    const place = { source, input, scope, nesting: frame.nesting + 1, nest: nest ?? newNest(walk), endless };
    if (script === undefined) walk.doubts.add('syntax');
    else pushScript(walk, script, place);
  }
}

/** A process beside the command: `<(…)`, or a script among its words that puts something into the background. */
function startsAside(words: readonly ShellWord[]): boolean {
  return words.some(
    ({ value, pieces }) =>
      /(?:^|[^&<>])&(?![&>])/.test(value) ||
      pieces.some((piece) => piece.kind === 'dynamic' && piece.names?.from === 'stream'),
  );
}

function addCommand(walk: Walk, frame: Frame, node: Command): void {
  const { shapes } = walk;
  const substitutes = shapes.has('substitution');
  const findings: WordFindings = newFindings(walk);
  const { words, assignments, redirects, input } = readCommand(node, frame.input, findings);
  // A message in quotes is no reason to call the line unclear, unless another command was one before.
  if (!substitutes && shapes.has('substitution') && isQuotedMessage(words, findings.nested.length))
    shapes.delete('substitution');
  noteCommand(walk.variables, words, assignments, walk.commands.length);
  if (frame.endless && startsAside(words)) walk.shapes.add('endless_background');
  if (evaluatesIndex(words)) walk.doubts.add('indirect_expansion');
  const whole = wholeCommand(node, frame.source);
  if (whole !== null) walk.wholes.push(whole);
  walk.commands.push({
    source: frame.source.slice(node.pos, node.end),
    assignments,
    words,
    redirects,
    input,
    reveals: reveals(words, walk.variables),
    scope: frame.scope,
    nest: frame.nest,
    chain: frame.chain,
    join: frame.join,
  });
  pushNested(walk, frame, findings);
}

/** The redirects of a compound command stand as a command without words; returns what they feed it, if anything. */
function addRedirects(walk: Walk, frame: Frame, list: readonly Redirection[]): ShellInput | null {
  const findings: WordFindings = newFindings(walk);
  const { redirects, input } = readRedirects(list, findings);
  walk.commands.push({
    source: list.map((item) => frame.source.slice(item.pos, item.end)).join(' '),
    assignments: [],
    words: [],
    redirects,
    input: { kind: 'none' },
    reveals: false,
    scope: frame.scope,
    nest: frame.nest,
    chain: frame.chain,
    join: frame.join,
  });
  pushNested(walk, frame, findings);
  return input;
}
