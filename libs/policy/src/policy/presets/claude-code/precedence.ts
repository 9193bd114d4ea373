/**
 * The precedence table of `claude-code`: the steps 1a to 3 of its pipeline. Every deny stands before every ask, since a line is
 * denied when any part of it is, whatever the whole tool is asked about.
 */
import type { PrecedenceRow } from '../../preset.js';

export const CLAUDE_CODE_PRECEDENCE: readonly PrecedenceRow[] = [
  { effect: 'deny', layer: 'request' },
  { effect: 'deny', layer: 'guard' },
  { effect: 'deny', layer: 'hook' },
  { effect: 'deny', layer: 'hard-deny', ruleIds: ['path.protected'] },
  { effect: 'deny', layer: 'hard-deny', breadth: 'tool', level: '1a' },
  { effect: 'deny', layer: 'hard-deny', level: '1d' },
  { effect: 'deny', layer: 'path', level: '1d' },
  { effect: 'deny', layer: 'ask', level: '1d' },
  { effect: 'deny', layer: 'mode' },
  { effect: 'deny', layer: 'default' },
  { effect: 'allow', layer: 'hook', ruleIds: ['hook.answer'] },
  { effect: 'ask', layer: 'request' },
  { effect: 'ask', layer: 'guard' },
  { effect: 'ask', layer: 'hook' },
  { effect: 'ask', layer: 'ask', breadth: 'tool', level: '1b' },
  { effect: 'ask', layer: 'ask', ruleIds: ['tool.interaction'], level: '1e' },
  { effect: 'ask', layer: 'ask', breadth: 'content', level: '1f' },
  { effect: 'ask', layer: 'ask', level: '1g' },
  { effect: 'ask', layer: 'hard-deny', level: '1g' },
  { effect: 'allow', layer: 'mode', ruleIds: ['mode.bypassPermissions'], level: '2a' },
  // What mode `auto` lets through: its safe tools and what its classifier finds safe.
  { effect: 'allow', layer: 'mode', ruleIds: ['mode.auto', 'classifier.safe'] },
  { effect: 'ask', layer: 'path', level: '3' },
  { effect: 'ask', layer: 'mode', level: '3' },
  { effect: 'ask', layer: 'default', level: '3' },
  { effect: 'allow', layer: 'allow', level: '2b' },
  { effect: 'allow', layer: 'mode' },
  { effect: 'allow', layer: 'default' },
];
