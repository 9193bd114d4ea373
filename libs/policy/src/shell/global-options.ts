/** Options that a program takes in front of its subcommand. */
import type { ShellWord } from './tree.js';

/** Options before the subcommand that take the next word: skipped, so that `git -C x push` is also seen as `git push`. */
const GLOBAL_VALUES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    git: [
      '-C',
      '-c',
      '--git-dir',
      '--work-tree',
      '--namespace',
      '--exec-path',
      '--config-env',
      '--super-prefix',
      '--attr-source',
      '--shallow-file',
    ],
    docker: ['-H', '--host', '--context', '-c', '--config', '-l', '--log-level'],
    kubectl: ['-n', '--namespace', '--context', '--kubeconfig', '-s', '--server', '--cluster', '--user'],
    npm: '--prefix -w --workspace -C --registry --userconfig --globalconfig --cache --loglevel --tag --otp --access'.split(
      ' ',
    ),
    gh: ['-R', '--repo'],
    make: ['-C', '-f', '--directory', '--file'],
  }),
);

/** Does this program take such options? */
export function hasGlobals(program: string): boolean {
  return GLOBAL_VALUES.has(program);
}

/** How many of a program's words stand in front of its subcommand. */
export function globalsEnd(program: string, args: readonly Pick<ShellWord, 'value'>[]): number {
  const values = GLOBAL_VALUES.get(program);
  let at = 0;
  if (values === undefined) return at;
  for (let word = args[0]; word?.value.startsWith('-') === true; word = args[at])
    at += values.includes(word.value) ? 2 : 1;
  return at;
}
