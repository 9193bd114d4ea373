/** Makes the home folder, or checks that it can be used. */
import { chmod, mkdir } from 'node:fs/promises';
import { PartMissing } from '../compose/part-missing.js';

/** As root the database's own user must be able to pass through; nobody else may list the folder either way. */
export async function prepareHome(home: string): Promise<void> {
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  try {
    await mkdir(home, { recursive: true, mode });
    await chmod(home, mode);
  } catch (error) {
    throw new PartMissing(`the home folder cannot be used: ${(error as Error).message}`);
  }
}
