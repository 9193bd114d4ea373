/** A command line taken apart into the programs that it would start. */
import type { Operand } from '../commands/operands.js';
import type { Row } from './lines.js';
import type { ShellAssignment, ShellBinding, ShellDoubt, ShellInput, ShellRedirect, ShellWord } from './tree.js';
import type { ShellShape } from './shapes.js';
import type { Unwrapped } from './wrappers.js';

/** Why a call can never be allowed unasked, whatever rules say. */
export type CallDoubt = 'dynamic_program' | 'dynamic_script' | 'shell_input';

/** One program that the command line would start. */
export interface ShellCall {
  /** Base name of the program; null when it is known only when it runs, empty for a bare assignment or redirect. */
  readonly program: string | null;
  readonly name: ShellWord | null;
  readonly args: readonly ShellWord[];
  readonly assignments: readonly ShellAssignment[];
  readonly redirects: readonly ShellRedirect[];
  /** The files among its words; null when nobody described the program's words. */
  readonly operands: readonly Operand[] | null;
  readonly input: ShellInput;
  readonly source: string;
  /** Program as written and arguments, quoting undone, joined by single blanks: what allow rules see. */
  readonly text: string;
  /** What deny and ask rules see: also by base name, without global options, with the script's own variables filled in. */
  readonly spellings: readonly string[];
  /** What it may run somewhere else, as far as its words can be read that way: deny rules that hit these ask. */
  readonly elsewhere: readonly string[];
  readonly doubt: CallDoubt | null;
  /** A word shows a variable that the script itself does not set. */
  readonly reveals: boolean;
  /** Number of the call that runs this one, or -1. */
  readonly outer: number;
  /** How the wrapper is to be treated; null when the call is none. */
  readonly wrapper: Unwrapped | null;
  /** Numbers of the calls that this one runs. */
  readonly inner: number[];
  /** Number of the substitution that it stands in directly, or -1. */
  readonly nest: number;
  /** It stands in code of another language or behind a flag of another program: rules that deny it ask. */
  readonly foreign: boolean;
  /** Folders that it may run in, as given; null: unknown. */
  readonly cwds: readonly string[] | null;
}

/** The lists, chains and pipelines of one script of the plan, and its commands by other beginnings and ends. `foreign` as of its calls. */
export interface ShellLines {
  readonly rows: readonly Row[];
  readonly wholes: readonly string[];
  readonly foreign: boolean;
}

/** A command line taken apart. `doubts` of any nested script stand here too. */
export interface ShellPlan {
  readonly source: string;
  readonly calls: readonly ShellCall[];
  readonly doubts: readonly ShellDoubt[];
  /** Constructions besides plain commands, those of any nested script too. */
  readonly shapes: ReadonlySet<ShellShape>;
  /** What the script gives its variables. */
  readonly bindings: ReadonlyMap<string, ShellBinding>;
  /** Names of the functions that the script defines. */
  readonly functions: readonly string[];
  /** Of the script itself and of all that are nested in it. */
  readonly lines: readonly ShellLines[];
}
