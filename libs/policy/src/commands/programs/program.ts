/** What is known of one program: whether a call of it only reads, and which of its words are files. One row a program. */
import type { ShellCall, ShellPlan } from '../../shell/plan.js';
import type { ShellWord } from '../../shell/tree.js';

/**
 * Does the call only read? `args` are the words behind the program's name; none of them can turn out to be another flag, unless the
 * row takes words that only the running shell knows.
 */
export type ReadTest = (args: readonly ShellWord[], call: ShellCall, plan: ShellPlan | undefined) => boolean;

/** A file that a command touches. `recursive`: everything below it too. */
export interface Operand {
  readonly word: ShellWord;
  readonly access: 'read' | 'write';
  readonly recursive: boolean;
  /** Nobody knows whether it does: only denies and asks count, and they ask. */
  readonly maybe?: true;
  /** What lies below is written without being shown: rules about reading count for what is named alone. */
  readonly unread?: true;
}

const HERE: ShellWord = {
  text: '.',
  value: '.',
  literal: true,
  pieces: [{ kind: 'literal', value: '.', quoted: false }],
};

/** All below the folder that a command runs in, where its words do not say so. */
export const OWN_FOLDER: Operand = { word: HERE, access: 'read', recursive: true };

/** Where files stand among the words, for programs whose words are flags and operands. */
export interface OperandRow {
  readonly access: 'read' | 'write';
  /** Flags that take the next word as their value. */
  readonly valueFlags?: readonly string[];
  /** Leading operands that are no files, such as grep's pattern. */
  readonly skip?: number;
  /** Flags that give what would be skipped, so that nothing is. */
  readonly skipInFlag?: readonly string[];
  /** The last operand is written although the others are read. */
  readonly writesLast?: true;
  readonly recursive?: 'always' | 'flag';
  /** Without a file it takes all below its folder: whenever it goes down, or only when nothing is piped into it. */
  readonly elseFolder?: 'always' | 'unfed';
  /** Flags whose value is a file that is written, or read. */
  readonly writeFlags?: readonly string[];
  readonly readFlags?: readonly string[];
  /** Flags whose value is a wildcard that the names of the files that are read fit. */
  readonly nameFlags?: readonly string[];
}

/** Finds the files among the words of a program that has its own ways. */
export type OperandReader = (args: readonly ShellWord[]) => Operand[];

/**
 * One program. `reads` absent: it may do more than read. `always`: it only reads, whatever its words say, also words that
 * only the running shell knows. `operands` absent: nobody knows which words are files, so all that look like paths are.
 */
export interface ProgramRow {
  readonly reads?: 'always' | ReadTest;
  readonly operands?: OperandRow | OperandReader;
  /** `reads` looks itself at words that only the running shell knows. */
  readonly takesUnknown?: true;
}

/** A family of programs, by name. */
export type ProgramFamily = Readonly<Record<string, ProgramRow>>;

/** A list of words written as one text. */
export function words(text: string): readonly string[] {
  return text.split(' ');
}

/** Words that are no files. */
export const NO_FILES: OperandRow = { access: 'read', skip: Number.POSITIVE_INFINITY };

/** A program that takes no files and only reads. */
export const ASKS_NOTHING: ProgramRow = { reads: 'always', operands: NO_FILES };

/** A program that only prints the files it names. `valueFlags` are separated by blanks. */
export function printer(valueFlags = ''): ProgramRow {
  return { reads: 'always', operands: { access: 'read', valueFlags: words(valueFlags) } };
}

/** A program that only prints the files it names, unless one of its words has this form. */
export function printerUnless(form: RegExp, valueFlags = '', more: Partial<OperandRow> = {}): ProgramRow {
  return { reads: unless(form), operands: { access: 'read', valueFlags: words(valueFlags), ...more } };
}

/** Words of GNU's object tools that load a plugin, or name a file of further words: what is no option there is printed as an error. */
export const OPTIONS_FILE = /^@|^--pl/;

/** True unless one of the words has this form. */
export function unless(form: RegExp): ReadTest {
  return (args) => !args.some((word) => form.test(word.value));
}

/** True when every word has this form. */
export function only(form: RegExp): ReadTest {
  return (args) => args.every((word) => form.test(word.value));
}

/** True when the first word has this form and no word the other. */
export function subcommand(form: RegExp, never: RegExp | null = null): ReadTest {
  return (args) => {
    const [first] = args;
    if (first === undefined || !form.test(first.value)) return false;
    return never === null || !args.some((word) => never.test(word.value));
  };
}

/** True when the words, joined by blanks, have this form as a whole. */
export function line(form: RegExp): ReadTest {
  return (args) => form.test(args.map((word) => word.value).join(' '));
}
