/** Why a file could not be read, in words for a person. */

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'this is a folder, not a file',
  EACCES: 'this file may not be read',
  EPERM: 'this file may not be read',
  ENOTDIR: 'a part of this path is no folder',
  EMFILE: 'too many files are open',
};

/** The error of a file operation as a short sentence; never its path, which whoever tells it has put in front. */
export function fileProblem(error: unknown): string {
  const code = (error as { readonly code?: string } | null)?.code ?? '';
  return WORDS[code] ?? `it cannot be read (${code === '' ? 'unknown reason' : code})`;
}
