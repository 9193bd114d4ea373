/** The environment of this process; nothing else in this room reads it. */

/** What the programs of the embedded database inherit, with `extra` on top. */
export function childEnvironment(extra: Record<string, string>): Record<string, string | undefined> {
  return { ...process.env, ...extra };
}
