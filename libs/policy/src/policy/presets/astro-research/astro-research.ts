/** `astro-research`: the permission system of AstroResearch, whose default is to allow. */
import { ASTRO_RESEARCH_TOOLS } from '../../../tools/astro-research.js';
import { ANY_MCP_TOOL, type ToolManifest } from '../../../tools/manifest.js';
import type { PathPolicy, PresetData, RunLimits } from '../../preset.js';
import { STANDARD } from '../standard.js';
import { STANDARD_NOTICES } from '../../notices.js';
import { ASTRO_RESEARCH_LISTS } from './commands.js';
import { ASTRO_RESEARCH_LEGAL_MODES, ASTRO_RESEARCH_MODES } from './modes.js';
import { ASTRO_RESEARCH_PRECEDENCE } from './precedence.js';

/** Its registry is closed: tools of MCP servers are unknown too. */
const TOOLS: ToolManifest = new Map([...ASTRO_RESEARCH_TOOLS, [ANY_MCP_TOOL, { kind: 'other', known: false }]]);

/** Only the real path counts, `..` and `~` are refused as texts, and programs are trusted with what they read. */
const PATHS: PathPolicy = {
  arguments: 'all',
  redirects: 'all',
  operands: 'write',
  inside: 'target',
  missingTarget: 'parent',
  refusedTexts: ['..', '~'],
  unresolvable: 'deny',
  rulesWiden: false,
};

const LIMITS: RunLimits = {
  maxSteps: 8,
  maxRepeats: 3,
  maxTokens: 40_000,
  softTokens: 32_000,
  stepsWithoutNews: 3,
  compactionFailures: 3,
  toolTimeoutSeconds: null,
  toolTimeoutDefault: 120,
  outputCharacters: null,
  stopsWithoutNews: true,
  makeRoom: ['compress_context'],
  maxFileSize: null,
};

export const ASTRO_RESEARCH: PresetData = {
  ...STANDARD,
  name: 'astro-research',
  layers: ['request', 'guard', 'hook', 'hard-deny', 'path', 'ask', 'allow', 'default'],
  precedence: ASTRO_RESEARCH_PRECEDENCE,
  modes: ASTRO_RESEARCH_MODES,
  legalModes: ASTRO_RESEARCH_LEGAL_MODES,
  defaultEffect: 'allow',
  unknownTool: 'deny',
  missingEvidence: 'deny',
  outsideRoots: 'deny',
  dangers: {
    'recursive-delete': 'deny',
    'device-write': 'deny',
    'fork-bomb': 'deny',
    'remote-script': 'deny',
    privilege: 'deny',
    'power-off': 'deny',
  },
  tools: TOOLS,
  defaultSource: 'managed',
  ruleSyntax: 'content',
  coverage: 'call',
  paths: PATHS,
  asksSensitive: [],
  judgesRewrites: 'final',
  silencesInteraction: true,
  shellLists: ASTRO_RESEARCH_LISTS,
  sourceOrder: ['session', 'managed', 'cli', 'command', 'local', 'project', 'user', 'grant', 'tool'],
  limits: LIMITS,
  // The words that AstroResearch itself gives its model.
  notices: { ...STANDARD_NOTICES, nothingNew: '请基于已收集信息直接回答', cancelled: '执行已被用户取消' },
  options: [...STANDARD.options, 'unlistedShell', 'blockNetwork', 'dangerousCommands', 'dangerousArgPatterns'],
  documentDefaults: { askTimeout: { after: 120, outcome: 'deny' }, childAsks: false },
  defaultReason: 'no rule speaks of `{tool}`',
};
