/** Which vault keys hold: those of the environment, else those of the home. */
import type { CliEnv } from '../env.js';
import type { HomeSecrets } from './secrets.js';

/** The one that seals first; undefined: there are none. */
export function vaultKeysOf(env: CliEnv, stored: HomeSecrets | null): readonly string[] | undefined {
  return env.vaultKeys === null ? stored?.vaultKeys : env.vaultKeys.split(',').map((key) => key.trim());
}
