/** Reads an environment by a schema: typed values, or one clear line for every problem. */
import type { z } from 'zod';

export type EnvResult<T> =
  { readonly ok: true; readonly env: T } | { readonly ok: false; readonly problems: readonly string[] };

/** An empty variable counts as absent. Values never stand in a problem, since they may be secrets. */
export function readEnv<S extends z.ZodType>(
  schema: S,
  source: Readonly<Record<string, string | undefined>>,
): EnvResult<z.infer<S>> {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined && value !== ''));
  const result = schema.safeParse(given, { reportInput: false });
  if (result.success) return { ok: true, env: result.data };
  const problems = result.error.issues.map(({ path, message }) => {
    const name = path.join('.');
    return Object.hasOwn(given, name) ? `${name}: ${message}` : `${name}: must be set (${message})`;
  });
  return { ok: false, problems };
}
