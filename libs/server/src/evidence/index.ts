/** What this machine's file system says about paths. An entry of its own: a hook must not wait for a server to load. */
export { resolveEvidence, gatherEvidence, MAX_PATHS_PER_CALL } from './gather-evidence.js';
export { resolvePath, type PathEvidence } from './resolve-path.js';
