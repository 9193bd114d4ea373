/** The one precedence table of `standard`, strongest first. */
import type { PrecedenceRow } from './preset.js';

/**
 * INVARIANT: a `default` ask or deny is only ever added for a part of the call that nothing covers, and so stands above every allow.
 * A rule's deny stands in `hard-deny`; `mode` denies turn questions into refusals and so stand above all questions.
 */
export const STANDARD_PRECEDENCE: readonly PrecedenceRow[] = [
  { effect: 'deny', layer: 'request' },
  { effect: 'deny', layer: 'guard' },
  { effect: 'deny', layer: 'hook' },
  { effect: 'deny', layer: 'hard-deny' },
  { effect: 'deny', layer: 'path' },
  { effect: 'deny', layer: 'ask' },
  { effect: 'deny', layer: 'mode' },
  { effect: 'deny', layer: 'default' },
  { effect: 'ask', layer: 'request' },
  { effect: 'ask', layer: 'guard' },
  { effect: 'ask', layer: 'hook' },
  { effect: 'ask', layer: 'hard-deny' },
  { effect: 'ask', layer: 'ask' },
  { effect: 'ask', layer: 'path' },
  { effect: 'ask', layer: 'mode' },
  { effect: 'ask', layer: 'default' },
  { effect: 'allow', layer: 'allow' },
  { effect: 'allow', layer: 'mode' },
  { effect: 'allow', layer: 'default' },
];
