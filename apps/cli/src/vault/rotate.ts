/** `countersign vault rotate`: puts a new key in front of the home's vault keys. */
import type { Writable } from 'node:stream';
import { newVaultKey } from '@countersign/server';
import { PartMissing } from '../compose/part-missing.js';
import type { CliEnv } from '../env.js';
import { homeLayout } from '../home/layout.js';
import { writePrivateFile } from '../home/private-file.js';
import { readSecrets } from '../home/secrets.js';

/** More would only mean that originals were never sealed anew. */
const MOST_KEYS = 8;

/** Gives the exit code: 0 rotated, 1 not. What runs goes on with its old ring until it is started again. */
export async function rotateVault(env: CliEnv, { output, complaints }: { output: Writable; complaints: Writable }) {
  const path = homeLayout(env.home).secrets;
  try {
    if (env.vaultKeys !== null)
      throw new PartMissing('COUNTERSIGN_VAULT_KEYS is set: put the new key in front of it there');
    const secrets = await readSecrets(path);
    if (secrets === null) throw new PartMissing(`${env.home} is no home yet: start \`countersign up\` first`);
    const vaultKeys = [newVaultKey(), ...(secrets.vaultKeys ?? [])].slice(0, MOST_KEYS);
    await writePrivateFile(path, `${JSON.stringify({ ...secrets, vaultKeys }, null, 2)}\n`);
    output.write(`a new vault key is in front of ${vaultKeys.length - 1} older ones in ${path}\n`);
    output.write('start the services again: they seal with it, and workers seal older originals anew\n');
    return 0;
  } catch (error) {
    if (!(error instanceof PartMissing)) throw error;
    complaints.write(`vault rotate: ${error.message}\n`);
    return 1;
  }
}
