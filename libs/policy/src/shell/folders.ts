/** Follows `cd` through a script, since a relative path means nothing without its folder. */
import { joinGiven } from '../paths/normalise.js';
import type { ShellCommand, ShellScript, ShellWord } from './tree.js';

const MAX_FOLDERS = 8;

/** Follows `cd` through the script: which folders each command may run in. */
export class Folders {
  private readonly now: (readonly string[] | null)[];
  private readonly before: (readonly string[] | null)[];
  private readonly chains = [-1];

  constructor(
    private readonly script: ShellScript,
    start: readonly string[] | null,
  ) {
    this.now = [start];
    this.before = [start];
  }

  /** The folders of this command; a `cd` moves those that follow in its scope. */
  enter(command: ShellCommand, home: string | null): readonly string[] | null {
    const { scope } = command;
    this.open(scope);
    if (this.chains[scope] !== command.chain || command.join === '||') {
      // The chain before may have failed half-way, so both its start and its end are possible.
      this.now[scope] = union(this.now[scope] ?? null, this.before[scope] ?? null);
      if (this.chains[scope] !== command.chain) this.before[scope] = this.now[scope] ?? null;
      this.chains[scope] = command.chain;
    }
    const here = this.now[scope] ?? null;
    const target = cdTarget(command, home);
    if (target !== undefined) this.now[scope] = target === null ? null : moved(here, target);
    return here;
  }

  private open(scope: number): void {
    if (this.chains[scope] !== undefined) return;
    const parent = this.script.scopes[scope] ?? -1;
    if (parent >= 0) {
      this.open(parent);
      this.now[scope] = this.now[parent] ?? null;
      this.before[scope] = this.now[parent] ?? null;
    }
    this.chains[scope] = -1;
  }
}

function union(left: readonly string[] | null, right: readonly string[] | null): readonly string[] | null {
  if (left === null || right === null) return null;
  if (left === right) return left;
  const all = new Set([...left, ...right]);
  return all.size > MAX_FOLDERS ? null : [...all];
}

function moved(from: readonly string[] | null, target: string): readonly string[] | null {
  const out = (from ?? ['']).map((folder) => joinGiven(folder === '' ? null : folder, target));
  return out.some((folder) => folder === null) ? null : out.filter((folder) => folder !== null);
}

/** Where the command moves to: undefined when it is no `cd`, null when only the machine knows. */
function cdTarget(command: ShellCommand, home: string | null): string | null | undefined {
  const name = command.words[0];
  if (name === undefined) return undefined;
  if (name.value === 'pushd' || name.value === 'popd') return null;
  if (name.value !== 'cd' && name.value !== 'chdir') return undefined;
  const word = command.words.slice(1).find((arg) => !/^-[LPe@]+$|^--$/.test(arg.value));
  if (word === undefined) return home;
  return word.value === '-' ? null : singlePath(word, home);
}

/** The one path that a word names, `~` and `$HOME` filled in; null when it is dynamic, a glob or several. */
export function singlePath(word: ShellWord, home: string | null): string | null {
  let out = '';
  for (const piece of word.pieces) {
    if (piece.kind === 'literal') out += piece.value;
    else if (piece.kind === 'home' && home !== null) out += home;
    else return null;
  }
  return out;
}
