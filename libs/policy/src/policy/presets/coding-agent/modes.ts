/** The mode matrix of `coding-agent`: mode x kind of tool. What it does not name is asked about. */
import type { Effect } from '@countersign/contracts';
import type { ModeEntry, ModeTable } from '../../preset.js';

function row(read: Effect, write: Effect, command: Effect): ModeEntry {
  return {
    cells: { read, write, command, network: null, interaction: null, agent: null, other: null },
    finalAsk: 'ask',
  };
}

const DEFAULT = row('allow', 'ask', 'ask');

/** Mode `plan` has no row of its own: behind its exceptions it is `default`. `dontAsk` and `auto` are no modes of this preset. */
export const CODING_AGENT_MODES: ModeTable = {
  default: DEFAULT,
  acceptEdits: row('allow', 'allow', 'ask'),
  custom: row('ask', 'ask', 'ask'),
  bypassPermissions: row('allow', 'allow', 'allow'),
  plan: DEFAULT,
  dontAsk: DEFAULT,
  auto: DEFAULT,
};
