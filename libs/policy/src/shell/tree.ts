/** Our own small picture of a shell script: the simple commands in the order they are written, and what makes the script doubtful. */
import type { Row } from './lines.js';
import type { ShellShape } from './shapes.js';

/** One piece of a word. `home` is `~` or `$HOME`; `dynamic` is anything whose value is known only when it runs. */
export type Piece =
  | { readonly kind: 'literal'; readonly value: string; readonly quoted: boolean }
  | { readonly kind: 'glob'; readonly value: string }
  | { readonly kind: 'brace'; readonly value: string }
  | { readonly kind: 'home' }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'dynamic'; readonly text: string; readonly names?: NamesOf };

/**
 * Where the value of a dynamic piece comes from: the output of the substitution of that number, what the calling wrapper fills in
 * (`xargs`, `find -exec`), or a pipe that only looks like a file (`<(…)`).
 */
export type NamesOf =
  { readonly from: 'script'; readonly nest: number } | { readonly from: 'outer' } | { readonly from: 'stream' };

/** A word. `value` has its quoting undone and expansions as written; `literal`: the value is exactly what the program gets. */
export interface ShellWord {
  readonly text: string;
  readonly value: string;
  readonly literal: boolean;
  readonly pieces: readonly Piece[];
}

export interface ShellAssignment {
  readonly name: string;
  readonly value: ShellWord | null;
}

/** `access` is what happens to the file; null for descriptors such as `2>&1`, here-documents and here-strings. */
export interface ShellRedirect {
  readonly access: 'read' | 'write' | null;
  readonly target: ShellWord | null;
  /** Adds to the file. */
  readonly appends?: true;
}

/** What a command gets on standard input, as far as the script says it. `pipe`: from the commands from number `from` up to it. */
export type ShellInput =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'pipe'; readonly from: number }
  | { readonly kind: 'unknown' };

/** How a command follows the one before it in its chain. */
export type ShellJoin = 'first' | '&&' | '||';

/** A simple command. `scope` numbers the (sub)shell whose working folder it shares; `chain` the and-or list it stands in. */
export interface ShellCommand {
  readonly source: string;
  readonly assignments: readonly ShellAssignment[];
  readonly words: readonly ShellWord[];
  readonly redirects: readonly ShellRedirect[];
  readonly input: ShellInput;
  /** A word shows a variable that the script itself does not set, so that what the machine holds in it comes out. */
  readonly reveals: boolean;
  readonly scope: number;
  /** Number of the substitution that it stands in directly, or -1. */
  readonly nest: number;
  readonly chain: number;
  readonly join: ShellJoin;
}

/** What a script gives a variable: the words assigned or looped over, and the commands (by number) that read it from their input. */
export interface ShellBinding {
  readonly words: ShellWord[];
  readonly readers: number[];
  /** It may also get something that nobody knows. */
  unknown: boolean;
}

/** A parsed script. `doubts` are reasons why it is not understood: any of them asks. `scopes[n]` is the parent of scope n. */
export interface ShellScript {
  readonly commands: readonly ShellCommand[];
  readonly scopes: readonly number[];
  readonly functions: readonly string[];
  readonly bindings: ReadonlyMap<string, ShellBinding>;
  /** The first number that no substitution has. */
  readonly nests: number;
  readonly shapes: ReadonlySet<ShellShape>;
  readonly doubts: readonly ShellDoubt[];
  /** Its lists, chains and pipelines. */
  readonly rows: readonly Row[];
  /** Simple commands by other beginnings and ends than their source: without variables, with here-documents. */
  readonly wholes: readonly string[];
}

/** Why a script is not understood. */
export type ShellDoubt =
  | 'too_long'
  | 'too_deep'
  | 'too_many_parts'
  | 'syntax'
  | 'control_character'
  | 'invisible_character'
  | 'coproc'
  | 'function'
  | 'other_shell'
  | 'indirect_expansion'
  | 'loading_variable';
