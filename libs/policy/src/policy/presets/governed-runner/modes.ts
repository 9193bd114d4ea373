/** `governed-runner` has no modes: one table says what its three kinds of tools get inside the workspace. */
import type { ModeEntry, ModeTable } from '../../preset.js';

const ONLY: ModeEntry = {
  cells: {
    read: 'allow',
    write: 'ask',
    command: 'ask',
    network: null,
    interaction: null,
    agent: null,
    other: null,
  },
  finalAsk: 'ask',
  ruleIds: { read: 'path.read_allow', write: 'path.write_requires_approval', command: 'bash.requires_approval' },
};

/** Only `default` is legal; the guard refuses the others. */
export const GOVERNED_RUNNER_MODES: ModeTable = {
  default: ONLY,
  acceptEdits: ONLY,
  plan: ONLY,
  dontAsk: ONLY,
  bypassPermissions: ONLY,
  auto: ONLY,
  custom: ONLY,
};
