/** The one mode table of `standard`: mode x kind of tool. Paths outside the roots and sensitive paths are asked about before it. */
import type { ModeEntry, ModeRow, ModeTable } from './preset.js';

const NOTHING: ModeRow = {
  read: null,
  write: null,
  command: null,
  network: null,
  interaction: null,
  agent: null,
  other: null,
};

/** Reading inside the roots, talking to the user, and starting a subagent (each of whose calls is judged itself). */
const CAREFUL: ModeRow = { ...NOTHING, read: 'allow', interaction: 'allow', agent: 'allow' };
const WRITING: ModeRow = { ...CAREFUL, write: 'allow' };
const DEFAULT: ModeEntry = { cells: CAREFUL, finalAsk: 'ask' };

export const STANDARD_MODES: ModeTable = {
  default: DEFAULT,
  acceptEdits: { cells: WRITING, finalAsk: 'ask' },
  plan: { cells: { ...CAREFUL, write: 'deny', command: 'ask' }, finalAsk: 'ask' },
  dontAsk: { cells: CAREFUL, finalAsk: 'deny' },
  bypassPermissions: {
    cells: {
      read: 'allow',
      write: 'allow',
      command: 'allow',
      network: 'allow',
      interaction: 'allow',
      agent: 'allow',
      other: 'allow',
    },
    finalAsk: 'ask',
  },
  auto: { cells: WRITING, finalAsk: 'ask' },
  // Nothing runs unasked but what a rule allows.
  custom: { cells: NOTHING, finalAsk: 'ask', asksReaders: true },
};
