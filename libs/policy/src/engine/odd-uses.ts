/** Files of tools whose arguments name them in more than one plain place: in lists, under several names, or in a patch. */
import { joinGiven } from '../paths/normalise.js';
import type { ToolEntry } from '../tools/manifest.js';
import { readArguments } from '../tools/read-arguments.js';
import { isPlainPlace, withHome, type PathUse, type UsePlace } from './uses.js';

const odd = new WeakMap<ToolEntry, ToolEntry | null>();

/** The part of the entry that names files in such places; null when there is none. Remembered per entry. */
function oddPart(entry: ToolEntry): ToolEntry | null {
  let part = odd.get(entry);
  if (part === undefined) {
    const { kind, known, patch } = entry;
    const paths = entry.paths ?? [];
    const isOdd = patch !== undefined || !paths.every(isPlainPlace);
    part = isOdd ? { kind, known, paths, ...(patch === undefined ? {} : { patch }) } : null;
    odd.set(entry, part);
  }
  return part;
}

/** True when the files must be read by the manifest's whole language. */
export function hasOddPlaces(entry: ToolEntry): boolean {
  return oddPart(entry) !== null;
}

/** Every file that the arguments name. Key null: only the running tool knows. */
export function oddUses(entry: ToolEntry, args: Readonly<Record<string, unknown>>, place: UsePlace): PathUse[] {
  const part = oddPart(entry);
  if (part === null) return [];
  return readArguments(part, args, place.cwd).files.map((file) => {
    const path = file.path === null ? null : withHome(file.path, place.home);
    const base = file.base === null ? place.cwd : joinGiven(place.cwd, file.base);
    const key = path === null ? null : joinGiven(base, path);
    const { text, access, recursive } = file;
    return { text, key, glob: null, access, recursive, origin: 'argument', call: -1 };
  });
}

/** Why the files cannot be read; plain sentences. */
export function oddProblems(entry: ToolEntry, args: Readonly<Record<string, unknown>>): readonly string[] {
  const part = oddPart(entry);
  return part === null ? [] : readArguments(part, args, null).problems;
}
