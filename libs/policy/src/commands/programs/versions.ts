/** Version and help queries, which programs answer without doing anything else. */
import type { ShellWord } from '../../shell/tree.js';

/** Programs that are known to understand `--version`; one that is not might do its work instead. */
// prettier-ignore
const LONG = new Set([
  'autoconf', 'automake', 'aws', 'az', 'bash', 'bazel', 'black', 'brew', 'buf', 'bundle', 'bundler', 'clang++', 'clang-format', 'clang-tidy', 'conda',
  'ctest', 'dart', 'direnv', 'doctl', 'dotnet', 'emacs', 'eslint', 'ffmpeg', 'fish', 'flake8', 'flutter', 'fzf', 'gcloud', 'gdb', 'gfortran', 'gh',
  'glab', 'gofmt', 'golangci-lint', 'groovy', 'heroku', 'inkscape', 'jest', 'julia', 'just', 'ktlint', 'ld', 'lldb', 'llvm-config', 'luajit', 'm4',
  'magick', 'mamba', 'meson', 'mongo', 'mongosh', 'mypy', 'nano', 'nasm', 'netlify', 'ninja', 'nix', 'nvim', 'ocaml', 'opam', 'pandoc', 'patch',
  'pg_dump', 'pipenv', 'pipx', 'pkg-config', 'pnpm', 'prettier', 'protoc', 'psql', 'pulumi', 'pyenv', 'pylint', 'pytest', 'qemu-img', 'rake', 'rails',
  'rbenv', 'redis-cli', 'redis-server', 'rsync', 'rubocop', 'ruff', 'rustfmt', 'rustup', 'sbt', 'screen', 'sh', 'shellcheck', 'sqlite3', 'stack',
  'strace', 'svn', 'tar', 'tmux', 'tox', 'ts-node', 'uv', 'uvx', 'vagrant', 'valgrind', 'vite', 'vitest', 'webpack', 'xcodebuild', 'yasm', 'zip', 'zsh',
  'locale', 'ldd', 'ps', 'uname', 'systemctl', 'hg', 'tree-sitter', 'wasm-pack', 'watchman', 'yamllint', 'hadolint', 'mix', 'rebar3', 'cabal', 'nim',
  'csplit', 'mktemp', 'nohup', 'timeout', 'env', 'nice', 'xargs', 'stdbuf', 'chroot', 'sudo', 'watch', 'setsid', 'ionice', 'flock', 'taskset',
]);
// prettier-ignore
const SHORT = new Set([
  'node', 'npm', 'npx', 'pnpm', 'yarn', 'python', 'python3', 'python2', 'pip', 'pip3', 'ruby', 'gem', 'perl', 'php', 'go', 'rustc', 'cargo', 'java',
  'javac', 'gcc', 'g++', 'clang', 'cc', 'make', 'cmake', 'tsc', 'deno', 'bun', 'git', 'ssh', 'gradle', 'mvn', 'lua', 'R', 'ghc', 'psql', 'mysql',
  'docker', 'podman', 'ansible', 'kubectl', 'vim', 'nginx', 'ruby3', 'swift', 'kotlinc', 'scala', 'elixir', 'erl', 'zig', 'nvcc', 'openssl', 'curl', 'wget',
]);
const SUBCOMMAND = new Set([
  'go',
  'git',
  'docker',
  'terraform',
  'helm',
  'openssl',
  'deno',
  'zig',
  'minikube',
  'podman',
  'hugo',
  'istioctl',
  'composer',
  'poetry',
]);

/** `--version` or `--help` alone, which every known program answers. */
export function isSelfQuery(args: readonly ShellWord[]): boolean {
  const only = args.length === 1 ? args[0] : undefined;
  return only?.literal === true && /^--(?:version|help)$/.test(only.value);
}

/** True for `program --version` and its kin: one word, which only asks what the program is. Short forms only where known. */
export function isVersionQuery(program: string, args: readonly ShellWord[]): boolean {
  const only = args.length === 1 ? args[0] : undefined;
  if (only?.literal !== true) return false;
  const { value } = only;
  if (isSelfQuery(args)) return SHORT.has(program) || SUBCOMMAND.has(program) || LONG.has(program);
  if (/^(?:-v|-V|-version)$/.test(value)) return SHORT.has(program);
  return value === 'version' && SUBCOMMAND.has(program);
}
