/** Other names of one subcommand: npm takes aliases and any beginning that means one command only, git has plumbing that does the same, docker says `container` or leaves it out. */

/** What npm calls its commands. */
const NPM_COMMANDS =
  'access adduser audit bugs cache ci completion config dedupe deprecate diff dist-tag docs doctor edit exec explain explore find-dupes fund get help help-search init install install-ci-test install-test link ll login logout ls org outdated owner pack ping pkg prefix profile prune publish query rebuild repo restart root run sbom search set shrinkwrap star stars start stop team test token trust undeprecate uninstall unpublish unstar update version view whoami'.split(
    ' ',
  );

/** Other names that npm gives them, each line a command and its names. */
const NPM_ALIASES =
  'owner author;docs home;bugs issues;view info show v verison;search find s se;install add i in ins inst insta instal isnt isnta isntal isntall;uninstall unlink remove rm r un;rebuild rb;ls list;ll la;init create innit;ci clean-install ic install-clean isntall-clean;install-test it;install-ci-test cit clean-install-test sit;update up upgrade udpate;config c;test tst t;dedupe ddp;run run-script rum urn;exec x;explain why;adduser add-user;dist-tag dist-tags;link ln;org ogr;help hlep'
    .split(';')
    .map((line) => line.split(' '));

const NPM_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ...NPM_COMMANDS.map((command): [string, readonly string[]] => [command, [command]]),
  ...NPM_ALIASES.flatMap((names) => names.map((name): [string, readonly string[]] => [name, names])),
]);

/** `npm runScript` is `npm run-script`. */
function inKebab(word: string): string {
  return word.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

const NOTHING: readonly string[] = [];

/** What these send or get is what the plain command does. */
const GIT_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ['send-pack', ['push']],
  ['http-push', ['push']],
  ['fetch-pack', ['fetch']],
  ['http-fetch', ['fetch']],
  ['stage', ['add']],
  ['add', ['stage']],
]);

/** Every name of the subcommand that the program understands by this word, the word itself left out; empty for most programs. */
export function otherNames(program: string, word: string): readonly string[] {
  if (program === 'git') return GIT_NAMES.get(word) ?? NOTHING;
  if (program !== 'npm') return NOTHING;
  const name = inKebab(word);
  const names = NPM_NAMES.get(name) ?? NPM_NAMES.get(onlyContinuation(name) ?? '') ?? NOTHING;
  return names.filter((other) => other !== word);
}

/** The one name that begins so; null when there are several or none. */
function onlyContinuation(beginning: string): string | null {
  if (beginning === '') return null;
  const found = [...NPM_NAMES.keys()].filter((name) => name.startsWith(beginning));
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** Subcommands whose first word is a command of the program again: `git subtree push`, `git lfs push`, `docker container rm`. */
export function isFolded(program: string, word: string): boolean {
  if (program === 'docker') return word === 'container';
  return program === 'git' && (word === 'subtree' || word === 'lfs');
}
