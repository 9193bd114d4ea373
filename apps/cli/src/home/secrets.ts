/** What a home makes once and keeps: seal key, vault keys, cookie secret, passwords of its embedded database. */
import { randomBytes } from 'node:crypto';
import { newVaultKey } from '@countersign/server';
import { z } from 'zod';
import { newPermitSeed } from '@countersign/permits';
import { PartMissing } from '../compose/part-missing.js';
import { readIfPresent, writePrivateFile } from './private-file.js';

const secretsSchema = z.object({
  /** 32 bytes in base64: seals calls on their way through the queue. */
  sealKey: z.string(),
  /** Each 32 bytes in base64: seal the originals of what is redacted. The first one seals, every one opens. */
  vaultKeys: z.array(z.string()).min(1).optional(),
  /** Signs the cookies of the approvers' page. */
  cookieSecret: z.string(),
  /** Seeds of the keys that sign permits; homes from before have none yet. */
  permitKeys: z.array(z.string()).min(1).optional(),
  ownerPassword: z.string(),
  /** Roles belong to a whole cluster, where another home may have its own. */
  appRole: z.string(),
  appPassword: z.string(),
});
export type HomeSecrets = z.infer<typeof secretsSchema>;

/** The secrets of a home; null when it has none yet. A damaged file is an error: new secrets would lock the database out. */
export async function readSecrets(path: string): Promise<HomeSecrets | null> {
  const text = await readIfPresent(path);
  if (text === null) return null;
  try {
    return secretsSchema.parse(JSON.parse(text));
  } catch {
    throw new PartMissing(`${path} is damaged: restore it from a copy, or remove it together with the data`);
  }
}

/** The secrets of a home, made if it has none yet. */
export async function loadSecrets(path: string): Promise<HomeSecrets> {
  const stored = await readSecrets(path);
  if (stored?.vaultKeys !== undefined && stored.permitKeys !== undefined) return stored;
  const made = { vaultKeys: [newVaultKey()], permitKeys: [newPermitSeed()] };
  // A home from before there were a vault and permits keeps what it has.
  const secrets: HomeSecrets = { ...made, ...(stored ?? newSecrets()) };
  await writePrivateFile(path, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}

function newSecrets(): HomeSecrets {
  return {
    sealKey: randomBytes(32).toString('base64'),
    cookieSecret: randomBytes(32).toString('base64url'),
    appRole: `countersign_${randomBytes(4).toString('hex')}`,
    ownerPassword: randomBytes(24).toString('base64url'),
    appPassword: randomBytes(24).toString('base64url'),
  };
}
