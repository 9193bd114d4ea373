/** `npm start`: builds what changed, then runs `countersign up`. */
import { buildOrExit } from './build.mjs';

await buildOrExit();
process.argv.splice(2, 0, 'up');
await import('../apps/cli/bin/countersign.mjs');
