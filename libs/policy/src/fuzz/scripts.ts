/** Makes shell scripts: grammatical ones of every construct, and broken ones by mutation. */
import type { Chance } from './chance.js';
import { ARGUMENTS, FRAGMENTS, JOINTS, PROGRAMS, REDIRECTS } from './vocabulary.js';

const DEEPEST = 3;

/** A script that is mostly grammatical. */
export function makeScript(chance: Chance, depth = 0): string {
  const parts = [makeCommand(chance, depth), ...chance.many(2, () => chance.pick(JOINTS) + makeCommand(chance, depth))];
  return parts.join('');
}

/** A single command, simple or compound, without a list around it. */
export function makeCommand(chance: Chance, depth = 0): string {
  if (depth < DEEPEST && chance.often(0.25)) return makeCompound(chance, depth + 1);
  return makeSimple(chance, depth);
}

function makeSimple(chance: Chance, depth: number): string {
  const prefix = chance.often(0.1)
    ? `${chance.pick(['A=1', 'PATH=.', 'LD_PRELOAD=x', 'X=$(ls)', 'NODE_ENV=test'])} `
    : '';
  const words = [chance.pick(PROGRAMS), ...chance.many(4, () => makeWord(chance, depth))];
  const redirects = chance.often(0.2) ? ` ${chance.pick(REDIRECTS)}` : '';
  return `${prefix}${words.join(' ')}${redirects}`;
}

function makeWord(chance: Chance, depth: number): string {
  const word = chance.pick(ARGUMENTS);
  if (depth >= DEEPEST || !chance.often(0.12)) return word;
  const inner = (): string => makeScript(chance, depth + 1);
  return chance.pick<() => string>([
    () => `$(${inner()})`,
    () => `"$(${inner()})"`,
    () => `<(${inner()})`,
    () => `\${x:-$(${inner()})}`,
    () => `${word}${chance.pick(ARGUMENTS)}`,
    () => quote(inner()),
  ])();
}

function makeCompound(chance: Chance, depth: number): string {
  const inner = (): string => makeScript(chance, depth);
  return chance.pick<() => string>([
    () => `(${inner()})`,
    () => `{ ${inner()}; }`,
    () => `if ${inner()}; then ${inner()}; else ${inner()}; fi`,
    () => `for f in ${chance.pick(ARGUMENTS)} b; do ${inner()}; done`,
    () => `while ${inner()}; do ${inner()}; done`,
    () => `case ${chance.pick(ARGUMENTS)} in a|b) ${inner()};; *) ${inner()};; esac`,
    () => `f() { ${inner()}; }; f ${chance.pick(ARGUMENTS)}`,
    () => `cat <<EOF\n$(${inner()})\nEOF\n`,
    () => `sh <<'EOF'\n${inner()}\nEOF\n`,
    () => `! ${inner()}`,
    () => `[[ a == $(${inner()}) ]]`,
    () => `(( x = $(${inner()}) ))`,
    () => dressed(chance, inner()),
  ])();
}

/** Ways to run a line through another program or construct that leave what it does as it is. */
export const WRAPPERS: readonly [Wrapper, ...Wrapper[]] = [
  { name: 'sh -c', wrap: (line) => `sh -c ${quote(line)}` },
  { name: 'bash -lc', wrap: (line) => `bash -lc ${quote(line)}` },
  { name: 'eval', wrap: (line) => `eval ${quote(line)}` },
  { name: 'subshell', wrap: (line) => `(${line}\n)` },
  { name: 'group', wrap: (line) => `{ ${line}\n}` },
  { name: 'list', wrap: (line) => `true; ${line}` },
  { name: 'chain', wrap: (line) => `true && ${line}` },
  { name: 'tail', wrap: (line) => `${line}\ntrue` },
  { name: 'branch', wrap: (line) => `if true; then ${line}\nfi` },
  { name: 'substitution', wrap: (line) => `true "$(${line}\n)"` },
  { name: 'env', wrap: (line) => `env ${line}`, simple: true },
  { name: 'env -i', wrap: (line) => `env -i A=1 ${line}`, simple: true },
  { name: 'nice', wrap: (line) => `nice -n 5 ${line}`, simple: true },
  { name: 'timeout', wrap: (line) => `timeout 5 ${line}`, simple: true },
  { name: 'nohup', wrap: (line) => `nohup ${line}`, simple: true },
  { name: 'command', wrap: (line) => `command ${line}`, simple: true },
  { name: 'time', wrap: (line) => `time ${line}`, simple: true },
  { name: 'exec', wrap: (line) => `exec ${line}`, simple: true },
  { name: 'env prefix', wrap: (line) => `LANG=C ${line}`, simple: true },
  { name: 'sudo', wrap: (line) => `sudo ${line}`, simple: true, adds: true },
  { name: 'sudo sh -c', wrap: (line) => `sudo sh -c ${quote(line)}`, adds: true },
  { name: 'xargs', wrap: (line) => `xargs ${line}`, simple: true, adds: true },
  { name: 'xargs sh -c', wrap: (line) => `xargs sh -c ${quote(line)}`, adds: true },
  { name: 'find -exec', wrap: (line) => `find . -exec ${line} \\;`, simple: true, adds: true, without: /\\;/ },
];

/**
 * A way to wrap. `simple`: only around one simple command without redirections or assignments. `adds`: it gives the command more than
 * it had (rights, arguments), so that the wrapped form may be judged stricter. `without`: what would end the wrapping before its end.
 */
export interface Wrapper {
  readonly name: string;
  readonly wrap: (line: string) => string;
  readonly simple?: true;
  readonly adds?: true;
  readonly without?: RegExp;
}

/** A plain simple command: words that one shell would hand on as they stand, none of them a word of the grammar. */
export function makePlain(chance: Chance): string {
  const program = chance.pick(PROGRAMS);
  return [program === '[[' ? '[' : program, ...chance.many(3, () => chance.pick(ARGUMENTS))]
    .filter((word) => word !== '')
    .join(' ');
}

function dressed(chance: Chance, line: string): string {
  return chance.pick(WRAPPERS).wrap(line);
}

/** A text as one single-quoted word. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A text with a few pieces taken out, doubled, moved or put in. */
export function mutate(chance: Chance, text: string): string {
  let out = text;
  for (let times = chance.below(4) + 1; times > 0; times -= 1) out = mutateOnce(chance, out);
  return out;
}

function mutateOnce(chance: Chance, text: string): string {
  const at = chance.below(text.length + 1);
  const length = chance.below(8) + 1;
  const [head, piece, tail] = [text.slice(0, at), text.slice(at, at + length), text.slice(at + length)];
  return chance.pick<() => string>([
    () => head + chance.pick(FRAGMENTS) + piece + tail,
    () => head + chance.pick(FRAGMENTS) + piece + tail,
    () => head + tail,
    () => head + piece + piece + tail,
    () => tail + piece + head,
    () => head + piece.repeat(chance.below(200)) + tail,
    () => head + chance.pick(FRAGMENTS).repeat(chance.below(60)) + piece + tail,
  ])();
}
