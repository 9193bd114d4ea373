/** The order of `governed-runner`: the first of its rules that fits decides; rules that a tenant adds only tighten. */
import type { PrecedenceRow } from '../../preset.js';

/** INVARIANT: every deny stands above every ask, and every ask above the allow of reading. */
export const GOVERNED_RUNNER_PRECEDENCE: readonly PrecedenceRow[] = [
  { effect: 'deny', layer: 'request' },
  { effect: 'deny', layer: 'guard' },
  { effect: 'deny', layer: 'hook' },
  { effect: 'deny', layer: 'hard-deny' },
  { effect: 'deny', layer: 'path' },
  { effect: 'deny', layer: 'mode' },
  { effect: 'deny', layer: 'default' },
  { effect: 'ask', layer: 'mode' },
  { effect: 'ask', layer: 'hook' },
  { effect: 'ask', layer: 'ask' },
  { effect: 'allow', layer: 'mode' },
  { effect: 'allow', layer: 'allow' },
];
