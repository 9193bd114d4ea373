/** Lexical path arithmetic: every path the engine compares is absolute, uses `/`, and holds no `.`, `..` or empty segment. */

const WINDOWS_DRIVE = /^[A-Za-z]:(?:[\\/]|$)/;

/** True for `C:\x`, `C:/x` and `\\server\share`. */
export function isWindowsPath(path: string): boolean {
  return WINDOWS_DRIVE.test(path) || path.startsWith('\\\\');
}

/** True when the path does not depend on a working directory. */
export function isAbsolute(path: string): boolean {
  return path.startsWith('/') || isWindowsPath(path);
}

/**
 * The canonical form of an absolute path: `C:\a\..\b` becomes `/c/b`, `\\?\C:\x` becomes `/c/x`, `\\srv\share` becomes `/unc/srv/share`.
 * Null when the path is relative.
 */
export function canonicalPath(path: string): string | null {
  if (path.startsWith('/')) return normalise(path);
  if (!isWindowsPath(path)) return null;
  return normalise(windowsToSlashes(path));
}

function windowsToSlashes(path: string): string {
  let rest = path.replaceAll('\\', '/');
  if (rest.startsWith('//?/') || rest.startsWith('//./')) rest = rest.slice(4);
  if (rest.startsWith('UNC/')) rest = `//${rest.slice(4)}`;
  if (WINDOWS_DRIVE.test(rest)) return `/${rest.charAt(0).toLowerCase()}${rest.slice(2)}`;
  return `/unc/${rest}`;
}

/** Resolves `.`, `..` and repeated slashes of an absolute `/` path; `..` above the root stays at the root. */
export function normalise(path: string): string {
  if (!needsWork(path)) return path;
  const out: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') out.pop();
    else out.push(segment);
  }
  return `/${out.join('/')}`;
}

function needsWork(path: string): boolean {
  if (path.includes('//') || path.includes('/.')) return true;
  return path.length > 1 && path.endsWith('/');
}

/** Joins a path as written to the folder it is relative to, without resolving anything; null when the base is needed and unknown. */
export function joinGiven(base: string | null, given: string): string | null {
  if (isAbsolute(given)) return given;
  if (base === null) return null;
  const separator = isWindowsPath(base) ? '\\' : '/';
  return base.endsWith(separator) ? base + given : base + separator + given;
}

/** True when `path` is `folder` or below it; both canonical. */
export function isInside(path: string, folder: string): boolean {
  if (folder === '/') return true;
  return path.startsWith(folder) && (path.length === folder.length || path.charCodeAt(folder.length) === 47);
}

/** True for Windows paths with segments like `PROGRA~1`: short names, whose long ones only the machine itself knows. */
export function hasShortName(path: string): boolean {
  if (!isWindowsPath(path)) return false;
  return /(?:^|[\\/])[^\\/~]{1,6}~\d{1,3}(?:\.[^\\/]{0,3})?(?:[\\/]|$)/.test(path);
}
