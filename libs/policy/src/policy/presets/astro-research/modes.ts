/** The modes of `astro-research`: they answer what would be asked in the end, whatever raised the question. */
import type { ModeEntry, ModeRow, ModeTable } from '../../preset.js';

const NOTHING: ModeRow = {
  read: null,
  write: null,
  command: null,
  network: null,
  interaction: null,
  agent: null,
  other: null,
};
const DEFAULT: ModeEntry = { cells: NOTHING, finalAsk: 'ask' };

/** Its tools that only read. */
const SAFE_TOOLS = new Set([
  'search_papers',
  'get_paper_metadata',
  'get_paper_content',
  'rag_search',
  'query_target',
  'read_file',
  'grep_files',
  'glob_files',
  'load_skill',
]);

/** The modes that it has. `auto` stands on its road map. */
export const ASTRO_RESEARCH_LEGAL_MODES = ['default', 'acceptEdits', 'bypassPermissions', 'dontAsk', 'auto'] as const;

/** `plan` and `custom` are not legal there; their rows are those of `default`, and the guard refuses them. */
export const ASTRO_RESEARCH_MODES: ModeTable = {
  default: DEFAULT,
  acceptEdits: { cells: NOTHING, finalAsk: 'ask', passesEdits: true },
  plan: DEFAULT,
  dontAsk: { cells: NOTHING, finalAsk: 'deny' },
  bypassPermissions: { cells: NOTHING, finalAsk: 'allow' },
  auto: { cells: NOTHING, finalAsk: 'ask', classified: { safeTools: SAFE_TOOLS, unavailable: 'deny' } },
  custom: DEFAULT,
};
