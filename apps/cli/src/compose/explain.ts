/** Failures of the services behind us, told to people in one line. */

const UNDEFINED_TABLE = '42P01';
const NO_RIGHT = '42501';

/** What is wrong with the database, without "the database cannot be used". */
export function explainDatabase(error: unknown): string {
  const { code, message, errors } = error as { code?: string; message?: string; errors?: { message: string }[] };
  if (code === UNDEFINED_TABLE) return 'it is not migrated: run `npm run migrate`';
  if (code === NO_RIGHT) return `its role may not do this: ${message}; give the owner's URL as DATABASE_OWNER_URL`;
  return message || errors?.[0]?.message || code || String(error);
}

/** What is wrong with queue or bus. */
export function explainQueue(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
