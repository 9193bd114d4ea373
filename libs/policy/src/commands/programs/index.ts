/** Every program that is known, by name: the families put together. */
import { ARCHIVE_PROGRAMS } from './archives.js';
import { BINARY_PROGRAMS } from './binaries.js';
import { TEST_PROGRAMS } from './conditions.js';
import { CONTAINER_PROGRAMS } from './containers.js';
import { CRYPTO_PROGRAMS } from './crypto.js';
import { FILE_PROGRAMS } from './files.js';
import { GIT_PROGRAMS } from './git.js';
import { PACKAGE_PROGRAMS } from './packages.js';
import type { ProgramRow } from './program.js';
import { SEARCH_PROGRAMS } from './search.js';
import { STRUCTURED_PROGRAMS } from './structured.js';
import { SHELL_BUILTINS, SYSTEM_PROGRAMS } from './system.js';
import { TEXT_PROGRAMS } from './text.js';
import { TRANSFER_PROGRAMS } from './transfers.js';
import { WRITER_PROGRAMS } from './writers.js';

const FAMILIES = [
  TEXT_PROGRAMS,
  SEARCH_PROGRAMS,
  FILE_PROGRAMS,
  TEST_PROGRAMS,
  STRUCTURED_PROGRAMS,
  ARCHIVE_PROGRAMS,
  BINARY_PROGRAMS,
  SYSTEM_PROGRAMS,
  SHELL_BUILTINS,
  CRYPTO_PROGRAMS,
  GIT_PROGRAMS,
  CONTAINER_PROGRAMS,
  PACKAGE_PROGRAMS,
  WRITER_PROGRAMS,
  TRANSFER_PROGRAMS,
];

const PROGRAMS: ReadonlyMap<string, ProgramRow> = new Map(FAMILIES.flatMap((family) => Object.entries(family)));

/** What is known of the program; undefined when nothing is. */
export function programRow(program: string): ProgramRow | undefined {
  return PROGRAMS.get(program);
}
