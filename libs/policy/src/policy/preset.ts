/** What a preset is: data that turns the one engine into a whole permission system. */
import type { Effect, Layer, Mode, Preset, RuleSource, ToolKind } from '@countersign/contracts';
import type { DangerFamily } from '../commands/dangerous/families.js';
import type { ToolManifest } from '../tools/manifest.js';

/** A row of a precedence table: the first row that fits a match gives its rank (its place) and its level's name. */
export interface PrecedenceRow {
  readonly effect: Effect;
  readonly layer: Layer;
  /** Only matches from these sources; absent: from any. */
  readonly sources?: readonly RuleSource[];
  readonly level?: string;
}

/** What a mode says of a kind of tool: an effect, or null when it says nothing. */
export type ModeRow = Readonly<Record<ToolKind, Effect | null>>;

/** How a mode treats calls, and what becomes of a question that nobody may be asked. */
export interface ModeEntry {
  readonly cells: ModeRow;
  /** `deny`: in this mode a final ask is a deny. */
  readonly finalAsk: 'ask' | 'deny';
}
export type ModeTable = Readonly<Record<Mode, ModeEntry>>;

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
  readonly dangers: Readonly<Record<DangerFamily, Exclude<Effect, 'allow'>>>;
  readonly tools: ToolManifest;
}
