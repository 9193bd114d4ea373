/** `claude-code`: the permission pipeline of Claude Code, with its misses on denied programs closed. */
import { CLAUDE_CODE_TOOLS } from '../../../tools/claude-code.js';
import type { PresetData } from '../../preset.js';
import { STANDARD } from '../standard.js';
import { CLAUDE_CODE_COMMANDS } from './commands.js';
import { CLAUDE_CODE_MODES } from './modes.js';
import { CLAUDE_CODE_PRECEDENCE } from './precedence.js';

export const CLAUDE_CODE: PresetData = {
  ...STANDARD,
  name: 'claude-code',
  precedence: CLAUDE_CODE_PRECEDENCE,
  modes: CLAUDE_CODE_MODES,
  legalModes: ['default', 'acceptEdits', 'bypassPermissions', 'dontAsk', 'plan', 'auto'],
  // Its safety checks ask in every mode; being another user is a matter for rules.
  dangers: {
    'recursive-delete': 'ask',
    'device-write': 'ask',
    'fork-bomb': 'ask',
    'remote-script': 'ask',
  },
  tools: CLAUDE_CODE_TOOLS,
  asksSensitive: ['control'],
  commands: CLAUDE_CODE_COMMANDS,
  sourceOrder: ['cli', 'command', 'session', 'user', 'project', 'local', 'managed', 'grant', 'tool'],
  asksForInteraction: true,
  sandboxLiftsToolAsks: true,
  hooksAnswer: true,
  refuses: ['control_characters', 'bare_hosts'],
  pathRulesBy: 'family',
  options: [...STANDARD.options, 'safeTools'],
};
