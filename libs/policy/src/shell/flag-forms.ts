/** Other ways to write the flags that rules speak of most: `rm -fr x`, `rm -r -f x`, `rm --force --recursive x`, `rm x -rf`. */

/** What counts of a word here. */
type Valued = { readonly value: string };

/** Of one command: flags that rules speak of, each with its other names, and those others that take the next word. */
interface FlagTable {
  readonly flags: readonly (readonly string[])[];
  readonly values: ReadonlySet<string>;
}

const RECURSIVE_FORCE = '-r,-R,--recursive;-f,--force';

/** Command, flags (other names behind commas), flags that take a value. Only what destroys, overwrites or skips a check. */
const ROWS: readonly (readonly [string, string, string])[] = [
  ['rm', RECURSIVE_FORCE, ''],
  ['cp', RECURSIVE_FORCE, '-t --target-directory -S --suffix'],
  ['mv', '-f,--force', '-t --target-directory -S --suffix'],
  ['ln', '-f,--force;-s,--symbolic', '-t --target-directory -S --suffix'],
  ['chmod', '-R,--recursive', ''],
  ['chown', '-R,--recursive', ''],
  ['chgrp', '-R,--recursive', ''],
  ['git push', '-f,--force;-d,--delete;--mirror;--no-verify', '-o --push-option --repo --receive-pack --exec'],
  ['git clean', '-f,--force;-d;-x', '-e --exclude'],
  ['git reset', '--hard', ''],
  ['git rm', '-r;-f,--force', '--pathspec-from-file'],
  ['git checkout', '-f,--force', '-b -B --orphan --conflict --pathspec-from-file'],
  ['git switch', '-f,--force,--discard-changes', '-c -C --orphan --conflict'],
  ['git branch', '-d,--delete;-f,--force', '-u --set-upstream-to --sort --format --contains --merged'],
  ['git tag', '-d,--delete;-f,--force', '-m --message -F --file -u --local-user'],
  [
    'git commit',
    '-n,--no-verify;--amend;-a,--all',
    '-m --message -F --file -C -c --author --date -t --template --fixup --squash',
  ],
  ['docker rm', '-f,--force;-v,--volumes', ''],
  ['docker rmi', '-f,--force', ''],
  [
    'kubectl delete',
    '--all;--force',
    '-n --namespace -l --selector -f --filename -k --kustomize --grace-period --timeout',
  ],
];

const TABLES: ReadonlyMap<string, FlagTable> = new Map(
  ROWS.map(([command, flags, values]): [string, FlagTable] => {
    const all = flags.split(';').map((names) => names.split(','));
    return [command, { flags: all, values: new Set(values.split(' ')) }];
  }),
);
const PROGRAMS: ReadonlySet<string> = new Set([...TABLES.keys()].map((command) => command.replace(/ .*/, '')));
const NOTHING: readonly string[] = [];

/** Has a command of this program flags that rules speak of? */
export function hasFlagForms(program: string): boolean {
  return PROGRAMS.has(program);
}

/**
 * Every other way in which a rule may have written the command: its flags that rules speak of in front, by each of their names, apart
 * and together, in each order, and any of them left out. `args` are the words behind the program, without its global options.
 */
export function flagForms(program: string, args: readonly Valued[]): readonly string[] {
  const alone = TABLES.get(program);
  const head = alone === undefined ? `${program} ${args[0]?.value ?? ''}` : program;
  const table = alone ?? TABLES.get(head);
  if (table === undefined) return NOTHING;
  const { given, rest } = sortWords(table, alone === undefined ? args.slice(1) : args);
  if (given.length === 0) return NOTHING;
  const tail = rest.map((word) => ` ${word}`).join('');
  return orders(given).flatMap((flags) => written(flags).map((text) => `${head} ${text}${tail}`));
}

interface Sorted {
  /** Flags of the table that are set. */
  readonly given: readonly (readonly string[])[];
  /** Operands, as they stand. */
  readonly rest: readonly string[];
}

/** Flags that no rule speaks of are left out, with their values. */
function sortWords(table: FlagTable, words: readonly Valued[]): Sorted {
  const given = new Set<readonly string[]>();
  const rest: string[] = [];
  let skips = false;
  for (const [at, { value }] of words.entries()) {
    if (skips) skips = false;
    else if (value === '--')
      return { given: [...given], rest: [...rest, ...words.slice(at + 1).map((word) => word.value)] };
    else if (!/^-./.test(value)) rest.push(value);
    else if (table.values.has(value)) skips = true;
    else for (const names of flagsIn(value, table)) given.add(names);
  }
  return { given: [...given], rest };
}

function flagsIn(word: string, table: FlagTable): (readonly string[])[] {
  return table.flags.filter((names) => names.some((name) => isSet(name, word, table)));
}

/** `-f` also in a cluster, up to a flag that takes the rest of it; `--force` by its beginning too. */
function isSet(name: string, word: string, { values }: FlagTable): boolean {
  if (name.startsWith('--')) return word.length > 3 && name.startsWith(word);
  if (word.startsWith('--')) return false;
  for (const letter of word.slice(1)) {
    if (name === `-${letter}`) return true;
    if (values.has(`-${letter}`)) return false;
  }
  return false;
}

/** Every selection, in every order. */
function orders<T>(items: readonly T[]): T[][] {
  return items.flatMap((item) => {
    const others = items.filter((other) => other !== item);
    return [[item], ...orders(others).map((order) => [item, ...order])];
  });
}

/** Each flag by each of its names; short ones also in one cluster. */
function written(flags: readonly (readonly string[])[]): string[] {
  let out: string[][] = [[]];
  for (const names of flags) out = out.flatMap((head) => names.map((name) => [...head, name]));
  const apart = out.map((names) => names.join(' '));
  const clusters = out.filter((names) => names.length > 1 && names.every((name) => /^-\w$/.test(name)));
  return [...apart, ...clusters.map((names) => `-${names.map((name) => name.slice(1)).join('')}`)];
}
