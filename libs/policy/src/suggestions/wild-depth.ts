/** How many words of a command a pattern must spell out before it may end in `*`. */
import { baseName } from '../shell/spellings.js';
import type { ShellWord } from '../shell/tree.js';
import { isShell, runnerWords, unwrap } from '../shell/wrappers.js';

/** Programs that run what they are told to: with a `*` behind them anything could run. */
// prettier-ignore
const INTERPRETERS = new Set([
  'node', 'nodejs', 'deno', 'bun', 'ts-node', 'tsx', 'perl', 'ruby', 'irb', 'php', 'lua', 'luajit', 'tclsh', 'expect', 'osascript', 'awk', 'gawk', 'mawk',
  'nawk', 'java', 'jshell', 'groovy', 'scala', 'kotlin', 'julia', 'ghci', 'runghc', 'r', 'rscript', 'erl', 'elixir', 'iex', 'racket', 'guile', 'sbcl', 'clojure',
  'gdb', 'lldb', 'vi', 'vim', 'nvim', 'emacs', 'ed', 'ex', 'nano', 'find', 'fd', 'sed', 'psql', 'mysql', 'sqlite3', 'mongosh', 'redis-cli', 'pwsh', 'powershell',
  'eval', 'source', '.', 'alias', 'trap', 'make', 'watchexec', 'entr', 'ansible', 'crontab', 'at', 'batch',
]);

/** Programs that remove, overwrite, change rights, stop things, or carry data away. */
// prettier-ignore
const HARMFUL = new Set([
  'rm', 'rmdir', 'unlink', 'shred', 'srm', 'dd', 'truncate', 'mkfs', 'fdisk', 'parted', 'wipefs', 'mv', 'cp', 'install', 'ln', 'tee', 'tar', 'unzip', 'chmod',
  'chown', 'chgrp', 'setfacl', 'mount', 'umount', 'kill', 'killall', 'pkill', 'shutdown', 'reboot', 'curl', 'wget', 'nc', 'ncat', 'netcat', 'socat', 'scp',
  'sftp', 'rsync', 'ftp', 'telnet', 'mail', 'sendmail', 'apt', 'apt-get', 'dnf', 'yum', 'pacman', 'apk', 'brew', 'snap', 'gem', 'trash', 'git-filter-repo',
]);

/** Programs of many commands: which of them are never followed by a `*`. */
const COMMANDS: Readonly<Record<string, { readonly depth: number; readonly never: readonly string[] }>> = {
  git: {
    depth: 2,
    never: [
      'config',
      'clean',
      'reset',
      'rebase',
      'filter-branch',
      'bisect',
      'submodule',
      'difftool',
      'mergetool',
      'gc',
      'update-ref',
      'reflog',
      'rm',
      'daemon',
    ],
  },
  npm: {
    depth: 2,
    never: [
      'exec',
      'x',
      'install',
      'i',
      'add',
      'init',
      'create',
      'publish',
      'config',
      'set',
      'link',
      'explore',
      'uninstall',
    ],
  },
  pnpm: {
    depth: 2,
    never: ['exec', 'dlx', 'install', 'i', 'add', 'init', 'create', 'publish', 'config', 'link', 'remove'],
  },
  yarn: {
    depth: 2,
    never: ['exec', 'dlx', 'node', 'install', 'add', 'init', 'create', 'publish', 'config', 'link', 'remove'],
  },
  docker: {
    depth: 2,
    never: ['run', 'exec', 'cp', 'rm', 'rmi', 'kill', 'system', 'volume', 'login', 'push', 'save', 'load'],
  },
  podman: {
    depth: 2,
    never: ['run', 'exec', 'cp', 'rm', 'rmi', 'kill', 'system', 'volume', 'login', 'push', 'save', 'load'],
  },
  kubectl: {
    depth: 2,
    never: [
      'exec',
      'run',
      'debug',
      'delete',
      'apply',
      'replace',
      'patch',
      'edit',
      'cp',
      'drain',
      'proxy',
      'config',
      'create',
      'attach',
      'port-forward',
      'set',
      'scale',
    ],
  },
  helm: { depth: 2, never: ['install', 'upgrade', 'uninstall', 'rollback', 'plugin', 'delete'] },
  gh: {
    depth: 3,
    never: ['api', 'auth', 'secret', 'alias', 'extension', 'ssh-key', 'gpg-key', 'codespace', 'config', 'variable'],
  },
  glab: { depth: 3, never: ['api', 'auth', 'alias', 'ssh-key', 'config', 'variable'] },
  cargo: { depth: 2, never: ['run', 'install', 'publish', 'login', 'uninstall'] },
  go: { depth: 2, never: ['run', 'generate', 'install', 'get', 'tool', 'env', 'clean'] },
  dotnet: { depth: 2, never: ['run', 'exec', 'tool', 'add', 'nuget'] },
  pip: { depth: 2, never: ['install', 'uninstall', 'download', 'wheel', 'config'] },
  pip3: { depth: 2, never: ['install', 'uninstall', 'download', 'wheel', 'config'] },
  poetry: { depth: 2, never: ['run', 'add', 'remove', 'publish', 'config', 'shell'] },
  uv: { depth: 2, never: ['run', 'add', 'pip', 'tool', 'publish'] },
  terraform: { depth: 2, never: ['apply', 'destroy', 'import', 'state', 'taint', 'console', 'workspace', 'login'] },
  tofu: { depth: 2, never: ['apply', 'destroy', 'import', 'state', 'taint', 'console', 'workspace', 'login'] },
  systemctl: {
    depth: 2,
    never: [
      'start',
      'stop',
      'restart',
      'reload',
      'enable',
      'disable',
      'mask',
      'edit',
      'kill',
      'isolate',
      'set-property',
      'poweroff',
      'reboot',
    ],
  },
};

/** Command-line clients of clouds: only what reads may be followed by a `*`, behind its service. */
const CLOUDS = new Set(['aws', 'gcloud', 'az', 'oci', 'doctl']);
const READING_VERB = /^(?:describe|list|get|show|ls)(?:-|$)/;
/** `run` of a package manager names a script, which belongs to the pattern. */
const SCRIPT_RUNNERS = new Set(['npm', 'pnpm', 'yarn', 'docker', 'podman']);
const SCRIPT_COMMANDS = new Set(['run', 'run-script', 'compose']);

/** Words from the program on that must be spelt out; null: the command may only be allowed as a whole. */
export function wildDepth(words: readonly ShellWord[]): number | null {
  const [name, ...args] = words;
  if (name === undefined || !words.every((word) => word.literal)) return null;
  const program = baseName(name.value).toLowerCase();
  if (isNeverWild(program, args)) return null;
  const depth = CLOUDS.has(program) ? cloudDepth(args) : depthOf(program, name.value, args[0]?.value ?? '');
  return depth === null ? null : plain(words, depth);
}

function cloudDepth(args: readonly ShellWord[]): number | null {
  return READING_VERB.test(args[1]?.value ?? '') ? 3 : null;
}

function depthOf(program: string, written: string, command: string): number | null {
  const row = Object.hasOwn(COMMANDS, program) ? COMMANDS[program] : undefined;
  // A program given by its path is a file that may change: at least one word more says which use is meant.
  if (row === undefined) return written.includes('/') ? 2 : 1;
  if (row.never.includes(command)) return null;
  return SCRIPT_RUNNERS.has(program) && SCRIPT_COMMANDS.has(command) ? 3 : row.depth;
}

function isNeverWild(program: string, args: readonly ShellWord[]): boolean {
  if (isShell(program) || unwrap(program, args) !== null || runnerWords(program, args) !== null) return true;
  // `python3.12` and `mkfs.ext4` are what they are without their tail.
  const family = program.replace(/(?:\.[a-z0-9]+|[\d.]+)+$/, '');
  return [program, family].some((one) => INTERPRETERS.has(one) || HARMFUL.has(one) || /^(?:python|pypy)$/.test(one));
}

/** The depth, if so many words are there and none of them is a flag, which might change what the others mean. */
function plain(words: readonly ShellWord[], depth: number): number | null {
  const head = words.slice(0, depth);
  return head.length === depth && head.every((word) => !word.value.startsWith('-')) ? depth : null;
}
