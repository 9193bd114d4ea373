/** `endpoints.json`: where the service of a home listens and the keys to its doors. */
import { z } from 'zod';
import { readIfPresent, writePrivateFile } from './private-file.js';

export const endpointsSchema = z.object({
  gateway: z.string(),
  console: z.string(),
  agentKey: z.string(),
  approverKey: z.string(),
  auditorKey: z.string(),
  adminKey: z.string(),
});
/** Base URLs of the two doors and one key for each role. */
export type Endpoints = z.infer<typeof endpointsSchema>;

/** The endpoints of a home; null when the file is missing or not readable as such. */
export async function readEndpoints(path: string): Promise<Endpoints | null> {
  const text = await readIfPresent(path).catch(() => null);
  if (text === null) return null;
  try {
    return endpointsSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

export async function writeEndpoints(path: string, endpoints: Endpoints): Promise<void> {
  await writePrivateFile(path, `${JSON.stringify(endpoints, null, 2)}\n`);
}
