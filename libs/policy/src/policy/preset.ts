/** What a preset is: data that turns the one engine into a whole permission system. */
import type { Effect, Layer, Mode, PolicyInput, Preset, RuleSource, ToolKind } from '@countersign/contracts';
import type { DangerFamily } from '../commands/dangerous/families.js';
import type { Sensitivity } from '../paths/sensitive.js';
import type { RuleSyntax } from '../rules/compiled-rule.js';
import type { ToolManifest } from '../tools/manifest.js';
import type { CommandStyle } from './command-style.js';
import type { RunNotices } from './notices.js';
import type { OptionName } from './options.js';

/** A row of a precedence table: the first row that fits a match gives its rank (its place) and its level's name. */
export interface PrecedenceRow {
  readonly effect: Effect;
  readonly layer: Layer;
  /** Only matches from these sources; null: what no rule said. Absent: from any. */
  readonly sources?: readonly (RuleSource | null)[];
  /** Only matches with these rule ids; absent: with any. */
  readonly ruleIds?: readonly string[];
  /** Only rules about a whole tool, or only rules about what it is called with; absent: both, and what is no rule. */
  readonly breadth?: 'tool' | 'content';
  readonly level?: string;
}

/** What a mode says of a kind of tool: an effect, or null when it says nothing. */
export type ModeRow = Readonly<Record<ToolKind, Effect | null>>;

/** How a mode treats calls, and what becomes of a question that nobody may be asked. */
export interface ModeEntry {
  readonly cells: ModeRow;
  /** What becomes of a final ask, whatever raised it. `allow` only where the preset's source says that nobody is asked. */
  readonly finalAsk: Effect;
  /** Commands that only read are no reason to allow. */
  readonly asksReaders?: true;
  /** A final ask about a file edit that stays inside the working folder is allowed. */
  readonly passesEdits?: true;
  /** What would be asked, and what only the default allows, is judged by a classifier. */
  readonly classified?: ClassifiedMode;
  /** What a part of a kind gets in this mode when nothing covers it; absent: the preset's default. */
  readonly uncovered?: Readonly<Partial<Record<ToolKind, Exclude<Effect, 'allow'>>>>;
  /** Names of what the cells say, by kind; absent: `mode.` and the mode's name. */
  readonly ruleIds?: Readonly<Partial<Record<ToolKind, string>>>;
}
export type ModeTable = Readonly<Record<Mode, ModeEntry>>;

/** A mode in which a classifier answers. A classifier that was not asked leaves a question, which it or a person may answer. */
export interface ClassifiedMode {
  /** Tools that need no classifier. */
  readonly safeTools: ReadonlySet<string>;
  /** What becomes of the rest when the classifier was asked and did not answer. */
  readonly unavailable: Exclude<Effect, 'allow'>;
}

/** Which files of a call the path layer looks at, by where the call names them. */
export type PathScope = 'all' | 'write' | 'none';

/** How files are held against the roots. */
export interface PathPolicy {
  readonly arguments: PathScope;
  readonly redirects: PathScope;
  /** Words of a command line. */
  readonly operands: PathScope;
  /** `both`: the path as written and its target must lie inside; `target`: only the real path counts. */
  readonly inside: 'both' | 'target';
  /** A file that does not exist: `ancestor` judges below its nearest existing folder, `parent` wants its own folder to exist. */
  readonly missingTarget: 'ancestor' | 'parent';
  /** Texts that no path argument may hold, whatever it resolves to. */
  readonly refusedTexts: readonly string[];
  /** What a path gets whose real path could not be found. */
  readonly unresolvable: Exclude<Effect, 'allow'>;
  /** May an allow rule let a call out of the roots? */
  readonly rulesWiden: boolean;
}

/** Command lists of a preset that judges programs by name. `all` text compares case-sensitively. */
export interface ShellLists {
  /** Programs that run unasked, whatever their arguments. */
  readonly safe: ReadonlySet<string>;
  readonly dangerous: ReadonlySet<string>;
  /** Refused while the option `blockNetwork` holds. */
  readonly network: ReadonlySet<string>;
  /** Texts that no command outside of `safe` may hold. */
  readonly dangerousTexts: readonly string[];
  /** Command lines that are refused as they stand. */
  readonly emptyLines: readonly string[];
}

/**
 * How rules that disagree are weighed. `effect`: by the precedence table alone. `place`: the sources are read in turn, each from
 * its last rule to its first; the first rule that speaks of the whole call answers, and no other rule counts.
 */
export type RuleCombining =
  { readonly by: 'effect' } | { readonly by: 'place'; readonly sources: readonly RuleSource[] };

/** `control_characters` in a command line; `bare_hosts`: an address whose host is no name with a dot, or that carries user information. */
export type RefusedArgument = 'control_characters' | 'bare_hosts';

/** Limits of a run; null: none. */
export interface RunLimits {
  readonly maxSteps: number | null;
  /** The call that is this many-th of a run of identical ones is refused. */
  readonly maxRepeats: number | null;
  readonly maxTokens: number | null;
  /** Above it the model is nudged to come to an end. */
  readonly softTokens: number | null;
  /** So many steps in a row without anything new end the run. */
  readonly stepsWithoutNews: number | null;
  /** Seconds that any tool may run, as the policy says; null: the tool's own manifest, then the preset's default. */
  readonly toolTimeoutSeconds: number | null;
  readonly toolTimeoutDefault: number | null;
  /** Characters of output that the model is shown, as the policy says; null: the tool's own manifest. */
  readonly outputCharacters: number | null;
  /** After so many failures in a row the context is no longer made smaller by itself. */
  readonly compactionFailures: number | null;
  /** Stop when several steps brought nothing new. */
  readonly stopsWithoutNews: boolean;
  /** Tools that stay usable above `maxTokens`, since they make room. */
  readonly makeRoom: readonly string[];
  /** Most bytes of UTF-8 that a call may write into one file. */
  readonly maxFileSize: number | null;
}

/** A preset. */
export interface PresetData {
  readonly name: Preset;
  /** Layers in the order in which they are run. */
  readonly layers: readonly Layer[];
  /** Strongest first. */
  readonly precedence: readonly PrecedenceRow[];
  readonly modes: ModeTable;
  /** What a call gets that nothing covers. */
  readonly defaultEffect: Effect;
  readonly unknownTool: Exclude<Effect, 'allow'>;
  /** What a path gets whose evidence is missing. */
  readonly missingEvidence: Exclude<Effect, 'allow'>;
  readonly outsideRoots: Exclude<Effect, 'allow'>;
  /** Null or absent: the family is not looked for. */
  readonly dangers: Readonly<Partial<Record<DangerFamily, Exclude<Effect, 'allow'> | null>>>;
  readonly tools: ToolManifest;
  /** Source of a rule that is written as plain text. */
  readonly defaultSource: RuleSource;
  /** Modes that a policy or a session may have; another one is refused, not replaced. */
  readonly legalModes: readonly Mode[];
  /** How the text of a rule is read. `content`: a tool's name or `*`, and a text that the call's fields begin with, end with or hold. */
  readonly ruleSyntax: RuleSyntax;
  /** `parts`: each program and file of a call needs its own cover. `call`: rules, modes and the default speak of the call as a whole. */
  readonly coverage: 'parts' | 'call';
  /** False: an allow rule in a policy is a mistake, since nothing is ever allowed by rule. */
  readonly allowRules: boolean;
  readonly paths: PathPolicy;
  /** Which sensitive files are asked about whatever else is said of them: those that hold secrets, those that decide what agents may do. */
  readonly asksSensitive: readonly Sensitivity[];
  /** Arguments that a hook rewrote: judged both before and after, or only as they are in the end. */
  readonly judgesRewrites: 'both' | 'final';
  /** Refuse tools that talk to the user in a session where nobody may be asked. */
  readonly silencesInteraction: boolean;
  readonly shellLists: ShellLists | null;
  readonly commands: CommandStyle;
  /** Command lines that run unasked, alone or with arguments, unless the policy's options list others. */
  readonly safeCommands: readonly string[];
  readonly combining: RuleCombining;
  /** Under which source a grant's rule is told. */
  readonly grantSource: RuleSource;
  /** Which of equally strong rules is named, by source. */
  readonly sourceOrder: readonly RuleSource[];
  /** Ask about tools that cannot run without a person, whatever else is said of them. */
  readonly asksForInteraction: boolean;
  /** An ask rule about all commands is passed over when the command runs inside a sandbox. */
  readonly sandboxLiftsToolAsks: boolean;
  /** A PermissionRequest hook may answer a question. */
  readonly hooksAnswer: boolean;
  /** When a tool that no manifest knows is refused or asked about: before all else, or only when nothing covers it. */
  readonly unknownToolStage: 'request' | 'default';
  /** When arguments are held against their tool's schema: before all else, or once nothing else denies, so that it is no matter of permission. */
  readonly checksSchema: 'first' | 'last';
  /** Arguments that the tools behind this preset never take, so that they are refused as invalid. */
  readonly refuses: readonly RefusedArgument[];
  /** Under which names path rules count: the tool's own and its family's, or the family's alone (`Edit`, `Read`). */
  readonly pathRulesBy: 'tool_or_family' | 'family';
  readonly limits: RunLimits;
  readonly notices: RunNotices;
  /** Names of options that policies under this preset may set. */
  readonly options: readonly OptionName[];
  /** What a document gets where it says nothing. */
  readonly documentDefaults: Readonly<Partial<PolicyInput>>;
  /** Rule ids that this preset calls otherwise. */
  readonly ruleNames: Readonly<Record<string, string>>;
  /** Why a call that nothing speaks for gets the default; `{tool}` is its name. */
  readonly defaultReason: string;
}
