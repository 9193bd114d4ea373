/** The levels P0 to P8 of `astro-research`, strongest first, and what stands around them. */
import { RULE_SOURCES } from '@countersign/contracts';
import type { PrecedenceRow } from '../../preset.js';

/** What the API adds to a running session; every other rule comes from configuration. */
const SESSION = ['session'] as const;
const CONFIGURED = RULE_SOURCES.filter((source) => source !== 'session');
/** What no rule said: lists, checks of tools, paths. */
const BUILT_IN = [null];

/** Limits of a run stand before the checker. A cancel is a hook's block there (P3), so it is not among them. */
const RUN_LIMITS = [
  'guard.stopped',
  'guard.breaker',
  'guard.max_steps',
  'guard.duplicate_call',
  'guard.token_hard_limit',
  'guard.diminishing_returns',
  'guard.illegal_mode',
];

/** A command line that was not judged to its end: no mode may answer for what nobody has seen. */
const NOT_JUDGED = [
  'shell.too_long',
  'shell.too_deep',
  'shell.too_many_parts',
  'shell.syntax',
  'shell.control_character',
  'shell.invisible_character',
  'content.invisible',
];

/**
 * INVARIANT: every deny stands above the allows of modes, and those above every ask: a mode answers questions, never refusals.
 * An ask of the configuration has no level in its documents and shares P5.
 */
export const ASTRO_RESEARCH_PRECEDENCE: readonly PrecedenceRow[] = [
  { effect: 'deny', layer: 'request' },
  { effect: 'deny', layer: 'guard', ruleIds: RUN_LIMITS },
  { effect: 'deny', layer: 'hard-deny', ruleIds: ['path.protected'] },
  { effect: 'deny', layer: 'hard-deny', sources: CONFIGURED, level: 'P0' },
  { effect: 'deny', layer: 'hard-deny', sources: BUILT_IN, level: 'P1' },
  { effect: 'deny', layer: 'path', level: 'P1' },
  { effect: 'deny', layer: 'guard', ruleIds: ['guard.tool_not_available', 'guard.nobody_to_ask'], level: 'P1' },
  { effect: 'deny', layer: 'hard-deny', sources: SESSION, level: 'P2' },
  { effect: 'deny', layer: 'hook', level: 'P3' },
  { effect: 'deny', layer: 'guard', level: 'P3' },
  { effect: 'deny', layer: 'default' },
  { effect: 'deny', layer: 'mode' },
  { effect: 'ask', layer: 'ask', ruleIds: NOT_JUDGED, level: 'P6' },
  { effect: 'allow', layer: 'mode' },
  { effect: 'ask', layer: 'hook', level: 'P4' },
  { effect: 'ask', layer: 'ask', sources: SESSION, level: 'P5' },
  { effect: 'ask', layer: 'ask', sources: CONFIGURED, level: 'P5' },
  { effect: 'ask', layer: 'ask', sources: BUILT_IN, level: 'P6' },
  { effect: 'ask', layer: 'mode' },
  { effect: 'ask', layer: 'default' },
  { effect: 'allow', layer: 'allow', level: 'P7' },
  { effect: 'allow', layer: 'default', level: 'P8' },
];
