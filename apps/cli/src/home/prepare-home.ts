/** Makes the home folder, or checks that it can be used. */
import { access, chmod, constants, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PartMissing } from '../compose/part-missing.js';

/** As root the database's own user must be able to pass through; nobody else may list the folder either way. */
export async function prepareHome(home: string): Promise<void> {
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  try {
    await makeFolder(home, mode);
    await chmod(home, mode);
    await access(home, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new PartMissing(`the home folder ${home} cannot be written: ${(error as Error).message}`);
  }
}

/** Step by step: where a file system says of its own root that nothing is there, as /proc does, Node's recursive mkdir tries for ever. */
async function makeFolder(path: string, mode: number): Promise<void> {
  const failure = await tryMake(path, mode);
  if (failure === null) return;
  if (failure.code !== 'ENOENT' || dirname(path) === path || (await isFolder(dirname(path)))) throw failure;
  await makeFolder(dirname(path), mode);
  await mkdir(path, { mode });
}

/** Null when the folder is there now. */
async function tryMake(path: string, mode: number): Promise<NodeJS.ErrnoException | null> {
  try {
    await mkdir(path, { mode });
    return null;
  } catch (error) {
    const failure = error as NodeJS.ErrnoException;
    return failure.code === 'EEXIST' && (await isFolder(path)) ? null : failure;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
