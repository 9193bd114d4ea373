/** New folders and files of git, by the operand that names them: `clone url folder`, `worktree add folder`, `bundle create file`. */
import type { ShellWord } from '../../shell/tree.js';
import { sortArgs } from '../flags.js';
import { words, type Operand } from './program.js';

/** Which operands behind the subcommand (and its action, where one is told) name what is made. */
interface Makes {
  readonly from: number;
  readonly to: number;
  /** Flags that take the next word. */
  readonly values?: string;
  /** What is made holds nothing of what lies here. */
  readonly unread?: true;
  /** With one of these flags nothing is. */
  readonly unless?: RegExp;
}

/** By subcommand, or subcommand and action. */
const MAKES: ReadonlyMap<string, Makes> = new Map<string, Makes>([
  [
    'clone',
    {
      from: 1,
      to: 9,
      values: '-b --branch --depth -o --origin -u --upload-pack -j --jobs --reference --template --filter --config',
      unread: true,
    },
  ],
  ['init', { from: 0, to: 1, values: '-b --initial-branch --template --object-format --ref-format' }],
  ['worktree add', { from: 0, to: 1, values: '-b -B --reason' }],
  ['worktree move', { from: 0, to: 2, unread: true }],
  ['bundle create', { from: 0, to: 1 }],
  ['submodule add', { from: 1, to: 2, values: '-b --branch --name --reference --depth', unread: true }],
  ['pack-objects', { from: 0, to: 1 }],
  ['mailinfo', { from: 0, to: 2, unread: true }],
  ['merge-file', { from: 0, to: 1, values: '-L', unread: true, unless: /^(?:-[a-z]*p|--stdout)/ }],
]);

/** Flags of git, whatever its subcommand, that take the next word. */
export const GIT_VALUE_FLAGS = words('-C -c --git-dir --work-tree -o --output');
const NOTHING: readonly Operand[] = [];

/** `args` are the words behind `git`, `action` the first operand behind the subcommand. */
export function gitMadeFiles(args: readonly ShellWord[], command: string, action: string): readonly Operand[] {
  const plain = MAKES.get(command);
  const making = plain ?? MAKES.get(`${command} ${action}`);
  if (making === undefined) return NOTHING;
  const { from, to, values = '', unread, unless } = making;
  if (unless !== undefined && args.some(({ value }) => unless.test(value))) return NOTHING;
  const operands = sortArgs(args, [...GIT_VALUE_FLAGS, ...words(values)]).operands.slice(plain === undefined ? 2 : 1);
  const made = { access: 'write', recursive: true, ...(unread === undefined ? {} : { unread }) } as const;
  return operands.slice(from, to).map((word): Operand => ({ word, ...made }));
}
