#!/usr/bin/env node
/** The `countersign` command: in a checkout it builds what changed, then runs the compiled program. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const builder = new URL('../../../scripts/build.mjs', import.meta.url);
const program = new URL('../dist/index.js', import.meta.url);
const isHook = process.argv[2] === 'hook';
/** To an agent exit code 1 means "go on": only 2 keeps a tool from running when its hook falls over. */
const FAILED = isHook ? 2 : 1;

function fail(error) {
  process.stderr.write(`countersign: ${isHook ? 'blocked, the hook failed: ' : ''}${error?.stack ?? error}\n`);
  process.exit(FAILED);
}
process.on('uncaughtException', fail);

try {
  // A hook is waited for before every tool call: it runs what is built, and builds only when nothing is.
  const built = isHook && existsSync(fileURLToPath(program));
  if (!built && existsSync(fileURLToPath(builder))) {
    const { build, BuildFailed } = await import(builder.href);
    await build().catch((error) => {
      if (!(error instanceof BuildFailed)) throw error;
      process.stderr.write(`build: ${error.message}\n`);
      process.exit(FAILED);
    });
  }
  const { main } = await import(program.href);
  process.exitCode = await main(process.argv);
} catch (error) {
  fail(error);
}
// What a library leaves open must not keep a finished command waiting.
setTimeout(() => process.exit(), 200).unref();
