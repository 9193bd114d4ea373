/** Parts of a script that are more than one simple command, as written: what rules that speak of whole lines are held against. */
import type { Command, SyntaxNode } from 'unbash';

/** The parts of a list, chain or pipeline in the order written, as the parser's nodes. */
export interface Row {
  readonly source: string;
  readonly parts: readonly SyntaxNode[];
}

/** Characters in all of a script's runs: beyond them a rule meets every part and every whole list, but not every run. */
const MAX_RUN_CHARACTERS = 16_000;

/**
 * Every compound command, every list as a whole, and every run of neighbours in a list (`a && b` of `x; a && b; y`), so that a line is
 * met by the rules that meet it alone, whatever stands before, behind or around it.
 */
export function linesOf(rows: readonly Row[]): string[] {
  const out = new Set<string>();
  for (const row of rows) addWhole(out, row);
  let room = MAX_RUN_CHARACTERS;
  for (const row of rows) {
    if (room < 0) break;
    room = addRuns(out, row, room);
  }
  return [...out];
}

function addWhole(out: Set<string>, { source, parts }: Row): void {
  for (const part of parts) addText(out, source, part, part);
  const [first, last] = [parts[0], parts[parts.length - 1]];
  if (first !== undefined && last !== undefined && first !== last) addText(out, source, first, last);
}

/** Adds the runs of two and more commands while there is room, short ones first; returns what room is left. */
function addRuns(out: Set<string>, { source, parts }: Row, room: number): number {
  // Chains and pipelines lie within the statements.
  if (parts[0]?.type !== 'Statement') return room;
  const leaves = parts.flatMap(leavesOf);
  let left = room;
  for (let length = 2; length < leaves.length; length += 1) {
    for (let start = 0; start + length <= leaves.length; start += 1) {
      const [first, last] = [leaves[start], leaves[start + length - 1]];
      if (first === undefined || last === undefined) continue;
      left -= last.end - first.pos;
      if (left < 0) return left;
      addText(out, source, first, last);
    }
  }
  return left;
}

/** The commands of a chain or pipeline, simple and compound, in the order written. */
function leavesOf(node: SyntaxNode): readonly SyntaxNode[] {
  switch (node.type) {
    case 'Statement':
      return leavesOf(node.command);
    case 'AndOr':
    case 'Pipeline':
      return node.commands.flatMap(leavesOf);
    default:
      return [node];
  }
}

/** What both forms begin with. */
const BEHIND = /[ \t;&]/y;
const SEPARATOR = /[ \t]*[;&](?![;&])/y;
const COMMENT = /[ \t;&]*[ \t;&]#[^\n]*/y;

/** The text, and the same with the `;` or `&` and the comment behind it. */
function addText(out: Set<string>, source: string, first: SyntaxNode, last: SyntaxNode): void {
  const text = source.slice(first.pos, last.end);
  out.add(text);
  BEHIND.lastIndex = last.end;
  if (!BEHIND.test(source)) return;
  for (const form of [SEPARATOR, COMMENT]) {
    form.lastIndex = last.end;
    const behind = form.exec(source)?.[0];
    if (behind !== undefined) out.add(text + behind);
  }
}

function isWord({ type }: SyntaxNode): boolean {
  return type === 'Word';
}

/** A command behind its variables, and with the here-documents that it is given; null when it is written so already. */
export function wholeCommand(node: Command, source: string): string | null {
  if (node.prefix.length === 0 && node.suffix.every(isWord)) return null;
  const start = node.prefix.length === 0 ? node.pos : (node.name?.pos ?? node.pos);
  const documents = node.redirects.filter((item) => item.type === 'HereDoc');
  if (start === node.pos && documents.length === 0) return null;
  const bodies = documents.map(({ body, closing }) => source.slice(body.pos, closing?.end ?? body.end));
  return [source.slice(start, node.end), ...bodies].join('\n');
}
