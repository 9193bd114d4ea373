/** The mode table of `claude-code`. Mode `custom` is none of its own. */
import type { ModeEntry, ModeRow, ModeTable } from '../../preset.js';

const READING: ModeRow = {
  read: 'allow',
  write: null,
  command: null,
  network: null,
  interaction: null,
  agent: null,
  other: null,
};
const EDITING: ModeRow = { ...READING, write: 'allow' };
const ALL: ModeRow = {
  read: 'allow',
  write: 'allow',
  command: 'allow',
  network: 'allow',
  interaction: 'allow',
  agent: 'allow',
  other: 'allow',
};
const DEFAULT: ModeEntry = { cells: READING, finalAsk: 'ask' };

export const CLAUDE_CODE_MODES: ModeTable = {
  default: DEFAULT,
  acceptEdits: { cells: EDITING, finalAsk: 'ask' },
  // Edits are asked about whatever rule allows them; a command runs only when it reads or a rule allows it.
  plan: { cells: { ...READING, write: 'ask' }, finalAsk: 'ask', uncovered: { command: 'deny' } },
  dontAsk: { cells: READING, finalAsk: 'deny' },
  bypassPermissions: { cells: ALL, finalAsk: 'ask' },
  auto: {
    cells: EDITING,
    finalAsk: 'ask',
    classified: { safeTools: new Set(), unavailable: 'deny' },
    ruleIds: { read: 'mode.default', write: 'mode.acceptEdits' },
  },
  custom: DEFAULT,
};
