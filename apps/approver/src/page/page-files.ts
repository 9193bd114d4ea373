/** The files of the approvers' page, read once at start: path at the door -> bytes and type. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One file as it is sent. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly etag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const PAGE = fileURLToPath(new URL('../../public/', import.meta.url));
const SCRIPTS_AND_STYLES = [
  'page.css',
  'page.js',
  'ask-card.js',
  'ask-options.js',
  'channel-banner.js',
  'door.js',
  'grants.js',
  'kill-banner.js',
  'live.js',
  'recent.js',
  'sign-in.js',
  'visible.js',
  'icon.svg',
] as const;

/** Reads every file; throws when one is missing, since a page without it would not work. */
export function readPageFiles(): ReadonlyMap<string, PageFile> {
  const socketIo = dirname(createRequire(import.meta.url).resolve('socket.io/package.json'));
  const files = new Map<string, PageFile>([
    ['index.html', pageFile(join(PAGE, 'index.html'))],
    ['sign-in.html', pageFile(join(PAGE, 'sign-in.html'))],
    ['socket.io.js', pageFile(join(socketIo, 'client-dist', 'socket.io.esm.min.js'))],
  ]);
  for (const name of SCRIPTS_AND_STYLES) files.set(name, pageFile(join(PAGE, name)));
  return files;
}

function pageFile(path: string): PageFile {
  const bytes = readFileSync(path);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { type: TYPES[extname(path)] ?? 'application/octet-stream', bytes, etag };
}
