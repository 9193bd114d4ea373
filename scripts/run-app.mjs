/** `npm run start:gateway|start:worker|start:approver` and `npm run migrate`: builds what changed, checks what the service needs, runs it. */
import { buildOrExit } from './build.mjs';

await buildOrExit();
const { runService } = await import('../apps/cli/dist/services/run-service.js');
process.exitCode = await runService(process.argv[2] ?? '');
// What a library leaves open must not keep a finished command waiting.
setTimeout(() => process.exit(), 200).unref();
