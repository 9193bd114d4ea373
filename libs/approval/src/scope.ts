/** Lexical containment of working directories; verdicts on paths are the engine's, this only says what a session's cwd may become. */

/** Is `path` one of the roots or below one? Lexical: anything with a `..` part is outside. Either slash separates. */
export function withinRoots(path: string, roots: readonly string[]): boolean {
  const wanted = path.split(/[/\\]/);
  if (wanted.includes('..')) return false;
  return roots.some((root) => path === root || isBelow(path, root));
}

function isBelow(path: string, root: string): boolean {
  const folder = root.replace(/[/\\]+$/, '');
  if (!path.startsWith(folder)) return false;
  const next = path[folder.length];
  return next === '/' || next === '\\';
}
