/** Imports the layers of Claude Code's `settings.json`: permission rules, mode, folders, and what of the sandbox has a counterpart. */
import { MODES, type Effect, type Mode, type PolicyInput } from '@countersign/contracts';
import { readText } from '../documents/read-policy-text.js';
import { entryOf, quoted, toValue, type TextEntry, type TextNode } from '../documents/text-node.js';
import { claudeRuleFate } from './claude-rules.js';
import { importClaudeSandbox } from './claude-sandbox.js';
import {
  ASKS,
  addRule,
  finishDraft,
  mapped,
  notMapped,
  startDraft,
  unreadable,
  whereOf,
  type Draft,
  type ImportFile,
  type ImportResult,
} from './import-report.js';

/** The layers, strongest first. Lists of all layers join; single values come from the strongest that sets them. */
export const CLAUDE_LAYERS = ['managed', 'cli', 'local', 'project', 'user'] as const;
export type ClaudeLayer = (typeof CLAUDE_LAYERS)[number];

/** One settings file. `trusted` false: a project that nobody vouched for, of which only denies and asks count. */
export interface ClaudeSettingsFile extends ImportFile {
  readonly source: ClaudeLayer;
  readonly trusted?: boolean;
  /** For `cli`: the absolute folder of the `--settings` file. */
  readonly directory?: string;
}

/** `projectDirectory`: absolute; relative additional folders are taken from it. */
export interface ClaudeImportOptions {
  readonly projectDirectory?: string;
}

interface Settings {
  readonly draft: Draft;
  readonly options: ClaudeImportOptions;
  readonly directories: string[];
  mode: { mode: Mode; where: string } | undefined;
  noBypass: boolean;
  noAuto: boolean;
  denyInstead: boolean;
  managedOnly: boolean;
}

const MODE_NAMES: Readonly<Record<string, Mode>> = {
  manual: 'default',
  ...Object.fromEntries(MODES.map((mode) => [mode, mode])),
};
/** Settings beside `permissions` that bear on what may run, and what stands in for them. */
const OTHER_SETTINGS: Readonly<Record<string, string>> = {
  hooks: 'nothing: hooks of Claude Code go on running there',
  disableAllHooks: 'nothing here; but it also switches off the hook that asks Countersign',
  autoMode: 'calls are judged by rules; what none settles asks',
};

/** Imports settings files in any order. Never throws. */
export function importClaudeSettings(
  files: readonly ClaudeSettingsFile[],
  options: ClaudeImportOptions = {},
): ImportResult {
  const draft = startDraft();
  const settings: Settings = {
    draft,
    options,
    directories: [],
    mode: undefined,
    noBypass: false,
    noAuto: false,
    denyInstead: false,
    managedOnly: false,
  };
  const ordered = [...files].sort((a, b) => CLAUDE_LAYERS.indexOf(a.source) - CLAUDE_LAYERS.indexOf(b.source));
  for (const file of ordered) importFile(settings, file);
  return finishDraft(draft, singleValues(settings));
}

function importFile(settings: Settings, file: ClaudeSettingsFile): void {
  const read = readText(file.text, 'json');
  if (!read.ok) {
    const flaw = read.problems[0];
    unreadable(settings.draft, file, flaw ?? { line: 1, column: 1 }, flaw?.message ?? 'not valid JSON');
    return;
  }
  if (read.node.kind !== 'table') {
    unreadable(settings.draft, file, read.node.at, 'expected a table');
    return;
  }
  if (file.source === 'managed' && valueOf(read.node, 'allowManagedPermissionRulesOnly') === true)
    settings.managedOnly = true;
  for (const entry of read.node.entries) importSetting(settings, file, entry);
}

function importSetting(settings: Settings, file: ClaudeSettingsFile, entry: TextEntry): void {
  const where = whereOf(file, entry.at);
  if (entry.key === 'permissions') importPermissions(settings, file, entry.node);
  else if (entry.key === 'sandbox') importClaudeSandbox(settings.draft, file, entry.node);
  else if (entry.key === 'allowManagedPermissionRulesOnly') {
    const safe = 'allows of other layers are left out; their denies and asks are kept';
    notMapped(settings.draft, { where, what: quoted(entry.key), why: 'no setting of its own here', safe });
  } else if (Object.hasOwn(OTHER_SETTINGS, entry.key)) {
    const safe = OTHER_SETTINGS[entry.key] ?? ASKS;
    notMapped(settings.draft, { where, what: quoted(entry.key), why: 'no part of a policy', safe });
  }
}

function valueOf(node: TextNode | undefined, key: string): unknown {
  const found = entryOf(node, key)?.node;
  return found && toValue(found);
}

function importPermissions(settings: Settings, file: ClaudeSettingsFile, node: TextNode): void {
  if (node.kind !== 'table') {
    unreadable(settings.draft, file, node.at, '`permissions` is no table');
    return;
  }
  for (const entry of node.entries) importPermission(settings, file, entry);
}

function importPermission(settings: Settings, file: ClaudeSettingsFile, entry: TextEntry): void {
  switch (entry.key) {
    case 'allow':
    case 'ask':
    case 'deny':
      importRules(settings, file, entry, entry.key);
      return;
    case 'defaultMode':
      importMode(settings, file, entry);
      return;
    case 'additionalDirectories':
      importDirectories(settings, file, entry);
      return;
    default:
      importSwitch(settings, file, entry);
  }
}

/** What the switches that narrow modes come to. */
const SWITCHES: Readonly<Record<string, string>> = {
  disableBypassPermissionsMode: 'mode and agentModes without bypassPermissions',
  disableAutoMode: 'mode and agentModes without auto',
  denyInsteadOfPrompting: 'mode dontAsk, which an agent cannot leave',
};

function importSwitch(settings: Settings, file: ClaudeSettingsFile, entry: TextEntry): void {
  const where = whereOf(file, entry.at);
  const value = toValue(entry.node);
  const what = `${quoted(entry.key)}: ${quoted(value)}`;
  if (entry.key === 'disableBypassPermissionsMode') settings.noBypass ||= value !== false;
  else if (entry.key === 'disableAutoMode') settings.noAuto ||= value !== false;
  else if (entry.key === 'denyInsteadOfPrompting') settings.denyInstead ||= value !== false;
  else {
    const safe = entry.key.startsWith('block')
      ? 'calls outside of the working folders ask instead of being denied'
      : ASKS;
    notMapped(settings.draft, { where, what, why: 'no counterpart', safe });
    return;
  }
  mapped(settings.draft, { where, what, as: [SWITCHES[entry.key] ?? 'mode'] });
}

/** True when the layer may loosen: not an unvouched project, and not silenced by managed settings. */
function mayLoosen(settings: Settings, file: ClaudeSettingsFile): string | undefined {
  if (file.trusted === false) return 'the project is not trusted';
  return settings.managedOnly && file.source !== 'managed' ? 'only managed rules may allow' : undefined;
}

function importRules(settings: Settings, file: ClaudeSettingsFile, entry: TextEntry, effect: Effect): void {
  if (entry.node.kind !== 'list') {
    if (effect !== 'allow') unreadable(settings.draft, file, entry.at, `${quoted(entry.key)} is no list`);
    else notMapped(settings.draft, { where: whereOf(file, entry.at), what: '`allow`', why: 'no list', safe: ASKS });
    return;
  }
  for (const item of entry.node.items) importRule(settings, file, item, effect);
}

function importRule(settings: Settings, file: ClaudeSettingsFile, item: TextNode, effect: Effect): void {
  const { draft } = settings;
  const where = whereOf(file, item.at);
  const text = toValue(item);
  const what = `${effect} ${quoted(text)}`;
  const silenced = effect === 'allow' ? mayLoosen(settings, file) : undefined;
  if (typeof text !== 'string' || silenced !== undefined) {
    const safe = effect === 'allow' ? ASKS : 'nothing: Claude Code skips it too';
    notMapped(draft, { where, what, why: silenced ?? 'a rule must be text', safe });
    return;
  }
  const directory = file.source === 'cli' ? (file.directory ?? null) : null;
  const fate = claudeRuleFate(text, effect, { source: file.source, directory });
  for (const pattern of fate.patterns) addRule(draft, { effect: fate.effect, pattern, source: file.source, where });
  const as = fate.patterns.map((pattern) => `${fate.effect} ${pattern}`);
  if (fate.why === undefined) mapped(draft, { where, what, as });
  else notMapped(draft, { where, what, why: fate.why, safe: safeOf(effect, as) });
}

function safeOf(effect: Effect, as: readonly string[]): string {
  if (as.length > 0) return `${as.map((rule) => quoted(rule)).join(', ')} stands for it`;
  return effect === 'allow' ? ASKS : 'nothing: it decides no tool call in Claude Code';
}

function importMode(settings: Settings, file: ClaudeSettingsFile, entry: TextEntry): void {
  const where = whereOf(file, entry.at);
  const value = toValue(entry.node);
  const what = `\`defaultMode\`: ${quoted(value)}`;
  const mode = typeof value === 'string' && Object.hasOwn(MODE_NAMES, value) ? MODE_NAMES[value] : undefined;
  const why = modeRefusal(file, mode);
  if (mode === undefined || why !== undefined) {
    const safe = 'mode of the next layer, or `default`';
    notMapped(settings.draft, { where, what, why: why ?? 'this mode is not known', safe });
  } else if (settings.mode === undefined) {
    settings.mode = { mode, where };
    mapped(settings.draft, { where, what, as: [`mode ${mode}`] });
  } else {
    const stronger = `a stronger layer sets it at ${settings.mode.where}`;
    notMapped(settings.draft, { where, what, why: stronger, safe: 'nothing' });
  }
}

/** Why a layer may not set this mode, or undefined. */
function modeRefusal(file: ClaudeSettingsFile, mode: Mode | undefined): string | undefined {
  if (mode === 'custom') return 'this mode is not known';
  if (file.trusted === false) return 'the project is not trusted';
  const opens = mode === 'bypassPermissions' || mode === 'auto';
  return opens && file.source === 'project' ? 'a project may not set this mode' : undefined;
}

function importDirectories(settings: Settings, file: ClaudeSettingsFile, entry: TextEntry): void {
  const items = entry.node.kind === 'list' ? entry.node.items : [entry.node];
  for (const item of items) {
    const where = whereOf(file, item.at);
    const value = toValue(item);
    const what = `folder ${quoted(value)}`;
    const folder = typeof value === 'string' ? absolute(value, settings.options.projectDirectory) : undefined;
    const why =
      mayLoosen(settings, file) ??
      (folder === undefined ? 'not absolute, and the project folder is not known' : undefined);
    if (folder === undefined || why !== undefined) {
      notMapped(settings.draft, {
        where,
        what,
        why: why ?? 'not absolute',
        safe: 'paths in it count as outside and ask',
      });
      continue;
    }
    if (!settings.directories.includes(folder)) settings.directories.push(folder);
    mapped(settings.draft, { where, what, as: [`additionalDirectories ${folder}`] });
  }
}

/** The folder as an absolute path or under `~/`; relative ones are joined to the project's folder. */
function absolute(folder: string, project: string | undefined): string | undefined {
  if (/^(?:\/|~\/|~$|[A-Za-z]:[\\/])/.test(folder)) return folder;
  if (project === undefined || folder === '' || folder.startsWith('~')) return undefined;
  const segments: string[] = [];
  for (const segment of `${project}/${folder}`.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return `/${segments.join('/')}`;
}

/** Modes an agent may move to; narrowed where the settings narrow them. */
function singleValues(settings: Settings): PolicyInput {
  const out: PolicyInput = {};
  if (settings.directories.length > 0) out.additionalDirectories = settings.directories;
  if (settings.denyInstead) return { ...out, mode: 'dontAsk', agentModes: ['dontAsk'] };
  if (settings.mode === undefined) return out;
  const shut =
    (settings.noBypass && settings.mode.mode === 'bypassPermissions') ||
    (settings.noAuto && settings.mode.mode === 'auto');
  if (!shut) return { ...out, mode: settings.mode.mode };
  const what = `mode ${quoted(settings.mode.mode)}`;
  notMapped(settings.draft, { where: settings.mode.where, what, why: 'it is disabled', safe: 'mode `default`' });
  return { ...out, mode: 'default' };
}
