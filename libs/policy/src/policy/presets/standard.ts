/** `standard`: our own preset, in the order of the design. */
import { MODES, RULE_SOURCES } from '@countersign/contracts';
import { ALL_AGENT_TOOLS } from '../../tools/merge-manifests.js';
import { STANDARD_COMMANDS } from '../command-style.js';
import { STANDARD_MODES } from '../modes.js';
import { STANDARD_NOTICES } from '../notices.js';
import { RUN_OPTIONS } from '../options.js';
import { STANDARD_PRECEDENCE } from '../precedence.js';
import type { PathPolicy, PresetData, RunLimits } from '../preset.js';

/** Both the path and its target inside the roots; what is not known asks. */
export const STANDARD_PATHS: PathPolicy = {
  arguments: 'all',
  redirects: 'all',
  operands: 'all',
  inside: 'both',
  missingTarget: 'ancestor',
  refusedTexts: [],
  unresolvable: 'ask',
  rulesWiden: true,
};

/** No limit on steps, repeats, tokens and sizes. */
export const NO_LIMITS: RunLimits = {
  maxSteps: null,
  maxRepeats: null,
  maxTokens: null,
  softTokens: null,
  stepsWithoutNews: null,
  compactionFailures: null,
  toolTimeoutSeconds: null,
  toolTimeoutDefault: null,
  outputCharacters: null,
  stopsWithoutNews: false,
  makeRoom: [],
  maxFileSize: null,
};

export const STANDARD: PresetData = {
  name: 'standard',
  layers: ['request', 'guard', 'hook', 'hard-deny', 'path', 'ask', 'mode', 'allow', 'default'],
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
    privilege: 'ask',
    'power-off': 'deny',
    'reverse-shell': 'deny',
    'credential-theft': 'deny',
    'cover-tracks': 'deny',
    'system-change': 'deny',
  },
  tools: ALL_AGENT_TOOLS,
  defaultSource: 'user',
  legalModes: MODES,
  ruleSyntax: 'patterns',
  coverage: 'parts',
  allowRules: true,
  paths: STANDARD_PATHS,
  asksSensitive: ['secret', 'control'],
  judgesRewrites: 'both',
  silencesInteraction: false,
  shellLists: null,
  commands: STANDARD_COMMANDS,
  safeCommands: [],
  combining: { by: 'effect' },
  sourceOrder: RULE_SOURCES,
  asksForInteraction: false,
  sandboxLiftsToolAsks: false,
  hooksAnswer: false,
  unknownToolStage: 'default',
  checksSchema: 'first',
  refuses: [],
  pathRulesBy: 'tool_or_family',
  limits: NO_LIMITS,
  notices: STANDARD_NOTICES,
  grantSource: 'grant',
  options: RUN_OPTIONS,
  documentDefaults: {},
  ruleNames: {},
  defaultReason: 'no rule covers this',
};
