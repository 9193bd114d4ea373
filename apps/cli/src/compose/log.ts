/** The log of the servers: JSON lines in a file of the home, or on standard output where a service runs apart. */
import { createWriteStream, renameSync, statSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { createLineLimit, createLogger, type Logger } from '@countersign/server';

export interface Log {
  /** A logger that names the app in every line. */
  forApp(name: string): Logger;
  /** Failures behind the scenes. Of those alike, five a minute are written. */
  onError(error: Error): void;
  close(): Promise<void>;
}

/** A log that has grown beyond this is set aside at the next start; one older file is kept. */
const MAX_BYTES = 20 * 1024 * 1024;
const LINES = { lines: 5, spanMs: 60_000 };

/** `path` null: standard output. */
export function openLog(path: string | null, level: string): Log {
  const file = path === null ? null : openFile(path);
  const forApp = (name: string) => createLogger({ name, level, ...(file === null ? {} : { stream: file }) });
  const parts = forApp('parts');
  const limit = createLineLimit(LINES);
  return {
    forApp,
    onError: (error) => {
      const room = limit.take(kindOf(error), performance.now());
      if (room === null) return;
      parts.warn({ err: error, ...(room.leftOut > 0 ? { leftOut: room.leftOut } : {}) }, 'a part reported a failure');
    },
    close: async () => {
      if (file === null) return;
      file.end();
      await finished(file);
    },
  };
}

/** Ids and numbers in a message make no other kind of failure. */
function kindOf({ name, message }: Error): string {
  return `${name} ${message.replace(/[0-9a-f-]{8,}|\d+/gi, '#').slice(0, 100)}`;
}

function openFile(path: string) {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_BYTES) renameSync(path, `${path}.1`);
  return createWriteStream(path, { flags: 'a', mode: 0o600 });
}
