/** Which commands only read: judged by program AND flags. Everything that is not known is taken to change something. */
import type { ShellCall, ShellPlan } from '../shell/plan.js';
import type { Piece, ShellWord } from '../shell/tree.js';
import { isSafeAssignment } from './environment.js';
import { programRow } from './programs/index.js';
import type { ProgramRow } from './programs/program.js';
import { isSelfQuery, isVersionQuery } from './programs/versions.js';
import { namesOfWord } from './names.js';

/** Folders whose programs are those that a bare name means. */
const SYSTEM_FOLDER = /^\/(?:usr\/)?s?bin\/[^/]+$/;
const MAX_WRAPPING = 16;
/** Programs that print nothing, and so show no variable either. */
const SILENT = new Set(['test', '[']);

/**
 * True when the command only reads. Written by its bare name or its place in a system folder: `./cat` is another program. A
 * wrapper that does nothing itself reads when all that it runs does; for that `plan` is needed.
 */
export function isReadOnly(call: ShellCall, plan?: ShellPlan): boolean {
  return readsOnly(call, plan, 0);
}

function readsOnly(call: ShellCall, plan: ShellPlan | undefined, depth: number): boolean {
  const { program, args } = call;
  if (program === null || program === '' || !isPlainName(call, program) || isDoubtful(call)) return false;
  if (isVersionQuery(program, args)) return true;
  if (call.wrapper !== null) return plan !== undefined && readsThrough(call, plan, depth);
  const row = programRow(program);
  return row !== undefined && (isSelfQuery(args) || readsByRow(row, call, plan));
}

function readsByRow(row: ProgramRow, call: ShellCall, plan: ShellPlan | undefined): boolean {
  const { reads, takesUnknown } = row;
  if (reads === undefined || reads === 'always') return reads === 'always';
  // A word that only the running shell knows may turn out to be a flag.
  return (
    (takesUnknown === true || call.args.every((word) => isSettled(word, call, plan))) && reads(call.args, call, plan)
  );
}

function isPlainName(call: ShellCall, program: string): boolean {
  const name = call.name?.value ?? '';
  return name === program || SYSTEM_FOLDER.test(name);
}

function isDoubtful(call: ShellCall): boolean {
  const shows = call.reveals && !SILENT.has(call.program ?? '');
  return call.doubt !== null || shows || !call.assignments.every((one) => isSafeAssignment(call, one));
}

function readsThrough(call: ShellCall, plan: ShellPlan, depth: number): boolean {
  if (call.wrapper?.idle !== true || call.inner.length === 0 || depth > MAX_WRAPPING) return false;
  return call.inner.every((number) => {
    const inner = plan.calls[number];
    return inner !== undefined && (inner.program === '' || readsOnly(inner, plan, depth + 1));
  });
}

/** A word cannot become a flag when it is literal, begins with known text that is none, or is a name that never begins with a dash. */
function isSettled(word: ShellWord, call: ShellCall, plan: ShellPlan | undefined): boolean {
  const [first, ...more] = word.pieces;
  if (word.literal || first === undefined) return true;
  switch (first.kind) {
    case 'home':
      return true;
    case 'literal':
      return first.value !== '' && !first.value.startsWith('-') && more.every(isKnown);
    case 'dynamic':
      return first.names?.from === 'stream' ? more.length === 0 : neverDashes(word, call, plan);
    case 'variable':
    case 'brace':
      return neverDashes(word, call, plan);
    case 'glob':
      return false;
  }
}

function isKnown(piece: Piece): boolean {
  return piece.kind === 'literal' || piece.kind === 'glob';
}

function neverDashes(word: ShellWord, call: ShellCall, plan: ShellPlan | undefined): boolean {
  const names = plan === undefined ? null : namesOfWord(word, call, plan);
  return names !== null && names.every((name) => name.settled);
}
