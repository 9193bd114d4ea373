/**
 * Reads which files a patch in the form of `apply_patch` touches. Deliberately stricter than any program that applies one:
 * where two of them could read a line differently, the patch is not understood.
 */
import { utf8Length } from '@countersign/contracts';

/** What a patch does to a file. A move is the `update` of the old path and the `move` to the new one. */
export type PatchAction = 'add' | 'update' | 'delete' | 'move';

/** One file of a patch. `addedBytes` is the UTF-8 size of the lines that the patch adds to it, line ends included. */
export interface PatchFile {
  readonly path: string;
  readonly action: PatchAction;
  readonly addedBytes: number;
}

/** All files in the order of the text, or why the patch is not understood, with the line (from 1). */
export type PatchReading =
  | { readonly ok: true; readonly files: readonly PatchFile[] }
  | { readonly ok: false; readonly line: number; readonly message: string };

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const END_OF_FILE = '*** End of File';
const ADD = '*** Add File: ';
const UPDATE = '*** Update File: ';
const DELETE = '*** Delete File: ';
const MOVE = '*** Move to: ';

const MAX_FILES = 500;

interface Draft {
  path: string;
  action: PatchAction;
  addedBytes: number;
}

/** `inside`: what the lines that follow belong to. `bare`: an update so far without any line of its own. */
interface Reading {
  readonly files: Draft[];
  inside: 'nothing' | 'add' | 'update' | 'delete';
  bare: boolean;
  ended: boolean;
}

/** Reads a patch. Total. Leading and trailing blank lines are passed over; everything else must be understood. */
export function readPatchPaths(patch: string): PatchReading {
  // INVARIANT: a lone carriage return, or another character that some readers break lines at, would hide a line from us.
  const stray = patch.search(/\r(?!\n)|[\0\u000B\u000C\u0085\u2028\u2029]/u);
  if (stray >= 0) return fail(lineAt(patch, stray), 'a character that may break the line');
  const lines = patch.split(/\r?\n/);
  const first = lines.findIndex((line) => line.trim() !== '');
  if (lines[first] !== BEGIN) return fail(Math.max(first, 0) + 1, `expected \`${BEGIN}\``);
  const reading: Reading = { files: [], inside: 'nothing', bare: false, ended: false };
  for (let number = first + 1; number < lines.length; number += 1) {
    const flaw = readLine(reading, lines[number] ?? '');
    if (flaw !== null) return fail(number + 1, flaw);
  }
  if (!reading.ended) return fail(lines.length, `expected \`${END}\``);
  if (reading.files.length === 0) return fail(lines.length, 'the patch names no file');
  return { ok: true, files: reading.files };
}

function fail(line: number, message: string): PatchReading {
  return { ok: false, line, message };
}

function lineAt(text: string, place: number): number {
  return text.slice(0, place).split('\n').length;
}

/** Takes one line in; what is wrong with it, or null. */
function readLine(reading: Reading, line: string): string | null {
  if (reading.ended) return line.trim() === '' ? null : `text after \`${END}\``;
  if (line === END) {
    reading.ended = true;
    return null;
  }
  if (line.startsWith('***')) return readMarker(reading, line);
  // Some readers trim before they look for markers: an indented marker may be text to one and a file to another.
  if (/^\s+\*\*\*/u.test(line)) return 'an indented marker';
  return readBody(reading, line);
}

function readMarker(reading: Reading, line: string): string | null {
  if (line.startsWith(ADD)) return open(reading, { path: line.slice(ADD.length), action: 'add', addedBytes: 0 });
  if (line.startsWith(UPDATE))
    return open(reading, { path: line.slice(UPDATE.length), action: 'update', addedBytes: 0 });
  if (line.startsWith(DELETE))
    return open(reading, { path: line.slice(DELETE.length), action: 'delete', addedBytes: 0 });
  if (line.startsWith(MOVE)) {
    if (reading.inside !== 'update' || !reading.bare) return 'a move that does not follow its update';
    return add(reading, { path: line.slice(MOVE.length), action: 'move', addedBytes: 0 });
  }
  if (line === END_OF_FILE && reading.inside === 'update' && !reading.bare) return null;
  return 'an unknown marker';
}

function open(reading: Reading, file: Draft): string | null {
  const flaw = add(reading, file);
  reading.inside = file.action === 'move' ? 'update' : file.action;
  reading.bare = file.action === 'update';
  return flaw;
}

function add(reading: Reading, file: Draft): string | null {
  reading.bare = false;
  reading.files.push(file);
  if (reading.files.length > MAX_FILES) return `more than ${String(MAX_FILES)} files`;
  return flawOfPath(file.path);
}

function flawOfPath(path: string): string | null {
  if (path === '' || path.trim() !== path) return 'a path that is empty or has blanks at its ends';
  if (/[\u0000-\u001F\u007F]/u.test(path)) return 'a path with control characters';
  // Some readers cut a header at every colon and keep the first two pieces.
  if (path.includes(':')) return 'a path with a colon';
  return null;
}

function readBody(reading: Reading, line: string): string | null {
  const file = reading.files[reading.files.length - 1];
  const isAdded = line.startsWith('+');
  if (file !== undefined && isAdded && reading.inside !== 'delete') {
    file.addedBytes += utf8Length(line.slice(1)) + 1;
    reading.bare = false;
    return null;
  }
  if (reading.inside === 'update' && (line === '' || /^(?:[ -]|@@(?: |$))/.test(line))) {
    reading.bare = false;
    return null;
  }
  return 'a line that belongs to no file';
}
