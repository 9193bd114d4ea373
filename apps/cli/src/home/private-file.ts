/** Files that only their owner may read, replaced whole: a reader sees the old text or the new one, never a part. */
import { randomUUID } from 'node:crypto';
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';

const OWNER_ONLY = 0o600;

/** Writes text with mode 0600, through a new file that is renamed into place. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, text, { mode: OWNER_ONLY, flag: 'wx' });
    await chmod(draft, OWNER_ONLY);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** The text of a file; null when there is none. */
export async function readIfPresent(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
