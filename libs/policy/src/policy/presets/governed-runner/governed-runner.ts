/** `governed-runner`: six rules in a fixed order, whose last one denies. */
import { GOVERNED_RUNNER_TOOLS } from '../../../tools/governed-runner.js';
import type { PathPolicy, PresetData } from '../../preset.js';
import { STANDARD } from '../standard.js';
import { GOVERNED_RUNNER_MODES } from './modes.js';
import { GOVERNED_RUNNER_PRECEDENCE } from './precedence.js';

/** Files of its file tools lie inside the workspace. What a command line names proves nothing: every command asks. */
const PATHS: PathPolicy = {
  arguments: 'all',
  redirects: 'none',
  operands: 'none',
  inside: 'target',
  missingTarget: 'ancestor',
  refusedTexts: [],
  unresolvable: 'deny',
  rulesWiden: false,
};

/** Its two names for what has several names here. */
const HARD_DENY = 'bash.hard_deny';
const OUTSIDE = 'path.outside_workspace';

export const GOVERNED_RUNNER: PresetData = {
  ...STANDARD,
  name: 'governed-runner',
  layers: ['request', 'guard', 'hook', 'hard-deny', 'path', 'ask', 'mode', 'allow', 'default'],
  precedence: GOVERNED_RUNNER_PRECEDENCE,
  modes: GOVERNED_RUNNER_MODES,
  legalModes: ['default'],
  defaultEffect: 'deny',
  unknownTool: 'deny',
  missingEvidence: 'deny',
  outsideRoots: 'deny',
  dangers: {
    'device-write': 'deny',
    privilege: 'deny',
    'forced-delete': 'deny',
    'power-off': 'deny',
  },
  tools: GOVERNED_RUNNER_TOOLS,
  defaultSource: 'managed',
  coverage: 'call',
  allowRules: false,
  paths: PATHS,
  asksSensitive: [],
  judgesRewrites: 'both',
  ruleNames: {
    'command.device_write': HARD_DENY,
    'command.privilege': HARD_DENY,
    'command.forced_delete': HARD_DENY,
    'command.power_off': HARD_DENY,
    'path.outside_roots': OUTSIDE,
    'path.unresolvable': OUTSIDE,
    'path.unknown': OUTSIDE,
    'path.no_evidence': OUTSIDE,
    'tool.unknown': 'default.deny',
  },
  defaultReason: "no permission rule matched tool '{tool}'",
};
