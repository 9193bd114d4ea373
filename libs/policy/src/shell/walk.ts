/** Walks the parser's tree with an explicit stack and collects simple commands, nested scripts included, in the order written. */
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
import { readCommand, readRedirects } from './read-command.js';
import type { ShellCommand, ShellDoubt, ShellInput, ShellJoin, ShellScript } from './tree.js';
import { evaluatesIndex, evaluatesText, noteCommand, noteLoop, revealsOf, type ScriptVariables } from './variables.js';
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
  readonly input: ShellInput | null;
}

interface Walk {
  readonly stack: Frame[];
  readonly commands: ShellCommand[];
  readonly scopes: number[];
  readonly functions: string[];
  readonly doubts: Set<ShellDoubt>;
  readonly variables: ScriptVariables;
  chains: number;
  nodes: number;
}

/** Takes a parsed script apart. Over the node cap it stops with the doubt `too_many_parts`. */
export function walkScript(script: ParsedScript, source: string, doubts: Set<ShellDoubt>): ShellScript {
  const walk: Walk = {
    stack: [],
    commands: [],
    scopes: [-1],
    functions: [],
    doubts,
    variables: { set: new Set(), texts: new Set(), evaluated: new Set() },
    chains: 0,
    nodes: 0,
  };
  pushScript(walk, script, { source, scope: 0, nesting: 0, input: null });
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
  return { commands: walk.commands, scopes: walk.scopes, functions: walk.functions, doubts: [...walk.doubts] };
}

function newFindings(walk: Walk): WordFindings {
  return { nested: [], doubts: walk.doubts, evaluated: walk.variables.evaluated };
}

interface Place {
  readonly source: string;
  readonly scope: number;
  readonly nesting: number;
  /** What the enclosing commands are fed; null: nothing is known. */
  readonly input: ShellInput | null;
}

function pushScript(walk: Walk, script: ParsedScript, place: Place): void {
  if (script.errors !== undefined && script.errors.length > 0) walk.doubts.add('syntax');
  pushStatements(walk, script.commands, { ...place, source: script.source ?? place.source });
}

function pushStatements(walk: Walk, statements: readonly Statement[], place: Place): void {
  for (let index = statements.length - 1; index >= 0; index -= 1) {
    const statement = statements[index];
    if (statement === undefined) continue;
    walk.chains += 1;
    const scope = statement.background === true ? newScope(walk, place.scope) : place.scope;
    walk.stack.push({ ...place, scope, node: statement.command, chain: walk.chains, join: 'first' });
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
      pushList(walk, frame, node.body);
      pushList(walk, frame, node.clause);
      return;
    case 'For':
    case 'Select':
      noteLoop(walk.variables, node.name.value, node.wordlist?.map((word) => word.text) ?? []);
      pushList(walk, frame, node.body);
      addWords(walk, frame, node.wordlist ?? []);
      return;
    case 'BraceGroup':
      pushList(walk, frame, node.body);
      return;
    case 'Subshell':
      pushList(walk, { ...frame, scope: newScope(walk, frame.scope) }, node.body);
      return;
    case 'Case':
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
      pushList(walk, frame, node.body);
      for (const part of [node.initialize, node.test, node.update])
        if (part !== undefined) addArithmetic(walk, frame, part);
      return;
    case 'ArithmeticCommand':
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
function addWords(walk: Walk, frame: Frame, words: readonly Word[]): void {
  const findings: WordFindings = newFindings(walk);
  for (const word of words) readWord(word, findings);
  pushNested(walk, frame, findings);
}

function pushNested(walk: Walk, frame: Frame, findings: WordFindings): void {
  for (let index = findings.nested.length - 1; index >= 0; index -= 1) {
    if (frame.nesting >= MAX_NESTING) {
      walk.doubts.add('too_deep');
      return;
    }
    const script = findings.nested[index]?.script;
    const { source, input } = frame;
    const place = { source, input, scope: newScope(walk, frame.scope), nesting: frame.nesting + 1 };
    if (script === undefined) walk.doubts.add('syntax');
    else pushScript(walk, script, place);
  }
}

function addCommand(walk: Walk, frame: Frame, node: Command): void {
  const findings: WordFindings = newFindings(walk);
  const { words, assignments, redirects, input } = readCommand(node, frame.input, findings);
  noteCommand(walk.variables, words, assignments);
  if (evaluatesIndex(words)) walk.doubts.add('indirect_expansion');
  walk.commands.push({
    source: frame.source.slice(node.pos, node.end),
    assignments,
    words,
    redirects,
    input,
    reveals: words.some((word) => revealsOf(word, walk.variables)),
    scope: frame.scope,
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
    chain: frame.chain,
    join: frame.join,
  });
  pushNested(walk, frame, findings);
  return input;
}
