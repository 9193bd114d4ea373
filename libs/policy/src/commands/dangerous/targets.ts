/** Where the words of a dangerous call lead. */
import { canonicalPath, isInside, joinGiven } from '../../paths/normalise.js';
import type { ShellCall } from '../../shell/plan.js';
import type { Piece, ShellWord } from '../../shell/tree.js';
import { foldWord } from '../../shell/fold.js';
import { hasGlob, pathsOfWord, plainPath } from '../../shell/word-paths.js';
import { namesOfWord } from '../names.js';
import type { DangerScene } from './families.js';

/** One place. `all`: everything below it too, because the word says so (`x/*`, names that `find` lists). */
export interface Target {
  readonly path: string;
  readonly all: boolean;
}

// prettier-ignore
const SYSTEM = new Set([
  '/', '/bin', '/boot', '/dev', '/etc', '/home', '/lib', '/lib64', '/opt', '/proc', '/root', '/sbin', '/srv', '/sys',
  '/usr', '/usr/bin', '/usr/lib', '/usr/local', '/usr/sbin', '/usr/share', '/var', '/var/lib', '/var/log', '/Users', '/System', '/Library',
  '/Applications', '/Volumes', '/mnt', '/media', '/private', '/run', '/c', '/c/Windows', '/c/Users',
]);

/** Homes of people: `/home/dev`. */
const HOMES = /^\/(?:home|Users|c\/Users)\/[^/]+$/;

/** Canonical places that the word may name; those that only the running shell knows are left out. */
export function targetsOf(word: ShellWord, call: ShellCall, scene: DangerScene): Target[] {
  return placesOf(withHomes(word), call, scene).flatMap(({ path, all }) => {
    const folder = folderOf(path);
    return (call.cwds ?? [null]).flatMap((cwd) => {
      const joined = joinGiven(cwd, plainPath(folder));
      const canonical = joined === null ? null : canonicalPath(throughProc(joined));
      return canonical === null ? [] : [{ path: canonical, all: all || folder !== path }];
    });
  });
}

/**
 * `~dev` is the home of that user, and `${HOME:?}` or `${HOME%/}` is the home, or what holds it. Elsewhere these are known to the
 * machine only; here it is enough that nothing else can be meant.
 */
function withHomes(word: ShellWord): ShellWord {
  if (word.literal || !word.pieces.some((piece) => piece.kind === 'dynamic')) return word;
  return { ...word, pieces: word.pieces.map((piece, at) => homePiece(piece, at)) };
}

/** True for `${HOME:?}`, `${HOME:-x}`, `${HOME%/}`. */
export function isHomeExpansion(piece: Piece): boolean {
  return piece.kind === 'dynamic' && /^\$\{HOME(?::?[-=?]|%)[^}]*\}$/.test(piece.text);
}

function homePiece(piece: Piece, at: number): Piece {
  if (piece.kind !== 'dynamic') return piece;
  if (isHomeExpansion(piece)) return { kind: 'home' };
  const user = at === 0 ? /^~([A-Za-z_][\w.-]*)$/.exec(piece.text)?.[1] : undefined;
  if (user === undefined) return piece;
  return { kind: 'literal', value: user === 'root' ? '/root' : `/home/${user}`, quoted: true };
}

/** As written. Names that a listing picked out say nothing of their folder. */
function placesOf(word: ShellWord, call: ShellCall, scene: DangerScene): Target[] {
  const paths = pathsOfWord(word, scene.home);
  const names = paths.includes(null) ? namesOfWord(word, call, scene.plan, scene.home) : null;
  if (names !== null) {
    return names.filter(({ below, whole }) => whole || !below).map(({ path, below }) => ({ path, all: below }));
  }
  const known = paths.filter((path) => path !== null);
  return (known.length > 0 ? known : builtPaths(word, scene)).map((path) => ({ path, all: false }));
}

/** Text that the script builds: `"$(cd ~ && pwd)"`. */
function builtPaths(word: ShellWord, scene: DangerScene): string[] {
  const { calls, bindings } = scene.plan;
  const text = foldWord(word, { calls, bindings, home: scene.home, unset: 'unknown' });
  return text === null || text === '' ? [] : [text];
}

/** `/proc/self/root` is the root again. */
function throughProc(path: string): string {
  return path.replace(/^\/proc\/(?:self|thread-self|\d+|\$\$)\/root(?=\/|$)/, '') || '/';
}

/** All that is in a folder is as good as the folder: `x/*` is `x/`, `*` is `.`. */
function folderOf(path: string): string {
  const folder = path.replace(/(^|\/)(?:\*|\.\*|\.\[!\.\]\*)$/, (_all, slash: string) => (slash === '' ? '.' : '/'));
  return hasGlob(folder) ? path : folder;
}

/** A folder that the machine or its user depends on: of the system, a home, or one that holds a root. */
export function isCriticalFolder(path: string, scene: DangerScene): boolean {
  if (isSystemFolder(path) || isHome(path, scene)) return true;
  // A folder that holds a root, or the user's home, is never build output.
  return (
    scene.roots.some((root) => root !== path && isInside(root, path)) ||
    (scene.home !== null && isInside(scene.home, path))
  );
}

/** The home of the agent's user, or of somebody else. One that agents are meant to work in is a workspace. */
export function isHome(path: string, scene: DangerScene): boolean {
  return path === scene.home || (HOMES.test(path) && isOutside(path, scene));
}

/** A folder of the operating system itself. */
export function isSystemFolder(path: string): boolean {
  return SYSTEM.has(path);
}

/** Outside of everything that the agent works on. */
export function isOutside(path: string, scene: DangerScene): boolean {
  return !scene.roots.some((root) => isInside(path, root));
}
