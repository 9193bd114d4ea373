/**
 * The precedence table of `coding-agent`: its stages 1 to 7, the first definite answer first. Rules (stage 5) stand here with the
 * one that won by its place; a question that only an answer lifts stands with the stage that could not rule danger out.
 */
import type { PrecedenceRow } from '../../preset.js';

export const CODING_AGENT_PRECEDENCE: readonly PrecedenceRow[] = [
  { effect: 'deny', layer: 'request' },
  { effect: 'deny', layer: 'guard' },
  { effect: 'deny', layer: 'hook' },
  { effect: 'deny', layer: 'hard-deny', ruleIds: ['path.protected', 'tool.refused', 'content.too_large'] },
  { effect: 'deny', layer: 'mode', ruleIds: ['session.silent'], level: '7' },
  { effect: 'ask', layer: 'request' },
  { effect: 'ask', layer: 'guard' },
  { effect: 'ask', layer: 'hook' },
  { effect: 'allow', layer: 'allow', ruleIds: ['plan.tool', 'plan.file'], level: '1' },
  { effect: 'allow', layer: 'allow', ruleIds: ['command.safe'], level: '2' },
  { effect: 'deny', layer: 'hard-deny', sources: [null], level: '3' },
  { effect: 'deny', layer: 'path', level: '4' },
  { effect: 'ask', layer: 'ask', sources: [null], level: '3' },
  { effect: 'ask', layer: 'path', level: '4' },
  { effect: 'deny', layer: 'hard-deny', level: '5' },
  { effect: 'ask', layer: 'ask', level: '5' },
  { effect: 'allow', layer: 'allow', level: '5' },
  { effect: 'deny', layer: 'mode', level: '6' },
  { effect: 'ask', layer: 'mode', level: '6' },
  { effect: 'deny', layer: 'default', level: '7' },
  { effect: 'ask', layer: 'default', level: '7' },
  { effect: 'allow', layer: 'mode', level: '6' },
];
