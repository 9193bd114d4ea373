/** `coding-agent`: seven stages, of which the first that is certain answers; rules count by their place alone. */
import { CODING_AGENT_TOOLS } from '../../../tools/coding-agent.js';
import { ANY_MCP_TOOL, type ToolEntry, type ToolManifest } from '../../../tools/manifest.js';
import { STANDARD_COMMANDS } from '../../command-style.js';
import type { PathPolicy, PresetData } from '../../preset.js';
import { STANDARD, STANDARD_PATHS } from '../standard.js';
import { CODING_AGENT_MODES } from './modes.js';
import { CODING_AGENT_PRECEDENCE } from './precedence.js';

/** The sandbox is for file tools alone: it cannot hold what a shell's children do. */
const PATHS: PathPolicy = {
  ...STANDARD_PATHS,
  redirects: 'none',
  operands: 'none',
  unresolvable: 'deny',
  rulesWiden: false,
};

/** A closed registry. The tool that plans runs unasked in mode `plan` only, as one of that mode's exceptions. */
const TOOLS: ToolManifest = new Map<string, ToolEntry>([
  ...CODING_AGENT_TOOLS,
  ['UpdatePlan', { kind: 'other', known: true }],
  [ANY_MCP_TOOL, { kind: 'other', known: false }],
]);

export const CODING_AGENT: PresetData = {
  ...STANDARD,
  name: 'coding-agent',
  precedence: CODING_AGENT_PRECEDENCE,
  modes: CODING_AGENT_MODES,
  legalModes: ['default', 'acceptEdits', 'custom', 'bypassPermissions', 'plan'],
  unknownTool: 'deny',
  unknownToolStage: 'request',
  // What a person allows for good is written into the local rules.
  grantSource: 'local',
  checksSchema: 'last',
  missingEvidence: 'deny',
  outsideRoots: 'deny',
  dangers: {
    'recursive-delete': 'deny',
    'device-write': 'deny',
    'fork-bomb': 'deny',
    'remote-script': 'deny',
  },
  tools: TOOLS,
  defaultSource: 'project',
  ruleSyntax: 'plain_patterns',
  // Ours come first, so that what a tenant or a session adds to tighten holds; what people allow on the way comes last.
  combining: {
    by: 'place',
    sources: ['managed', 'cli', 'command', 'session', 'user', 'project', 'local', 'grant', 'tool'],
  },
  paths: PATHS,
  asksSensitive: [],
  commands: { ...STANDARD_COMMANDS, readOnly: null, plainEdit: () => false },
  safeCommands: ['git status'],
  options: [...STANDARD.options, 'safeCommands', 'planTools', 'planFile'],
};
