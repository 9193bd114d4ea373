/** The log of the servers: JSON lines in a file of the home, or on standard output where a service runs apart. */
import { createWriteStream, renameSync, statSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { createLogger, type Logger } from '@countersign/server';

export interface Log {
  /** A logger that names the app in every line. */
  forApp(name: string): Logger;
  /** Failures behind the scenes: lost connections and the like. */
  onError(error: Error): void;
  close(): Promise<void>;
}

/** A log that has grown beyond this is set aside at the next start; one older file is kept. */
const MAX_BYTES = 20 * 1024 * 1024;

/** `path` null: standard output. */
export function openLog(path: string | null, level: string): Log {
  const file = path === null ? null : openFile(path);
  const forApp = (name: string) => createLogger({ name, level, ...(file === null ? {} : { stream: file }) });
  const parts = forApp('parts');
  return {
    forApp,
    onError: (error) => parts.warn({ err: error }, 'a part reported a failure'),
    close: async () => {
      if (file === null) return;
      file.end();
      await finished(file);
    },
  };
}

function openFile(path: string) {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_BYTES) renameSync(path, `${path}.1`);
  return createWriteStream(path, { flags: 'a', mode: 0o600 });
}
