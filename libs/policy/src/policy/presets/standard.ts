/** `standard`: our own preset, in the order of the design. */
import { CLAUDE_CODE_TOOLS } from '../../tools/claude-code.js';
import { STANDARD_MODES } from '../modes.js';
import { STANDARD_PRECEDENCE } from '../precedence.js';
import type { PresetData } from '../preset.js';

export const STANDARD: PresetData = {
  name: 'standard',
  layers: ['request', 'guard', 'hard-deny', 'path', 'ask', 'mode', 'allow', 'default'],
  precedence: STANDARD_PRECEDENCE,
  modes: STANDARD_MODES,
  defaultEffect: 'ask',
  unknownTool: 'ask',
  missingEvidence: 'ask',
  outsideRoots: 'ask',
  dangers: {
    'recursive-delete': 'deny',
    'device-write': 'deny',
    'fork-bomb': 'deny',
    'remote-script': 'deny',
    privilege: 'deny',
  },
  tools: CLAUDE_CODE_TOOLS,
};
