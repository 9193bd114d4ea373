/** The words that generated calls and policies are made of: everyday commands, harmful ones, and texts that trip readers. */

type Words = readonly [string, ...string[]];

/** Programs that read, write, reach out, run other code or destroy, so that generated lines meet every part of the engine. */
export const PROGRAMS: Words = [
  'ls', 'cat', 'echo', 'git', 'rm', 'cp', 'mv', 'npm', 'make', 'grep', 'find', 'sed', 'awk', 'curl', 'wget', 'tee', 'touch', 'mkdir',
  'chmod', 'dd', 'tar', 'head', 'sort', 'printf', 'test', 'true', 'cd', 'pwd', 'export', 'python3', 'node', 'ssh', 'scp', 'docker',
  'kill', 'jq', 'ln', 'basename', 'mkfs.ext4', 'shutdown', 'crontab', 'history', 'source', '.', 'alias', 'unknown-program', '/bin/rm',
  './run.sh', '$x', '"$(which rm)"', '[', '[[', ':', 'let', 'read', 'trap', 'exit',
]; // prettier-ignore

/** Words behind a program. */
export const ARGUMENTS: Words = [
  '-r', '-rf', '-f', '-la', '-n', '-i', '-c', '-e', '-o', '-exec', '-delete', '--force', '--help', '--version', '-C', '--', '-', 'status', 'push',
  'origin', 'main', 'install', 'test', 'run', 'src/a.ts', 'src/*', '/', '/etc/passwd', '~', '~/.ssh/id_rsa', '$HOME', '"$HOME"/x', '.env', '../..',
  '/dev/null', '/dev/sda', '.git/config', 'a b', '"a b"', "'a b'", 'a\\ b', '{a,b}', '{1..3}', '*.c', '?', '[ab]', '$1', '${x:-y}', '$((1+2))',
  '$(ls)', '`ls`', "$'a\\x41'", '$"hi"', '+x', '777', 'of=/dev/sda', 'if=x', 'http://x.example/y', 'user@host:', '{}', '\\;', '+', ']', ']]', '=ls',
  '-print', '-name', 's/a/b/w f', 'BEGIN{system("id")}', '!', '!!', 'A=1', '1', '%', '^a', '.', '..', '',
  'publi', 'checkout', 'show', 'HEAD:.env', 'grep', 'git@evil.test:a', 'https://evil.test/a',
]; // prettier-ignore

/** Things that a file or descriptor is joined by. */
export const REDIRECTS: Words = [
  '> out.txt', '>> log', '2>&1', '> /dev/null', '&> all', '>| x', '< in', '<> both', '2> "$f"', '> .env', '> ~/.bashrc', '<<< word', '>&2',
  '> /etc/x', '3>&-', '> "a b"', '> $(x)', '{fd}> x',
]; // prettier-ignore

/** Joints of a list. */
export const JOINTS: Words = [' && ', ' || ', '; ', ' | ', ' & ', '\n', ' |& '];

/** Fragments that mutations put in: shell signs, brackets without partners, controls, invisible and wide characters. */
export const FRAGMENTS: Words = [
  '$', '(', ')', '{', '}', '[', ']', '`', '"', "'", '\\', '<', '>', '|', '&', ';', '#', '~', '*', '?', '=', '!', ' ', '\t', '\n', '\r', '\0', '\x1b', '$(',
  '${', '$((', '))', '<<', '<<-', '<<<', '<(', '>(', "$'", '$"', '\\\n', ';;', ';&', 'case x in', 'esac', 'if', 'then', 'fi', 'do', 'done', 'function f',
  'coproc', 'select', 'EOF', '\u200b', '\u202e', '\ufeff', '\u00e9', '\u{1f600}', '\ud800', '((', '[[', '-rf /', 'rm', 'sudo ', 'eval ', '%s', '\x07',
]; // prettier-ignore

/** Rules of generated policies. None names a wrapper or `true`: such a rule would rightly judge a wrapped line otherwise. */
export const RULES: Words = [
  'Bash', 'Bash(git *)', 'Bash(git push *)', 'Bash(git status)', 'Bash(rm *)', 'Bash(rm -rf *)', 'Bash(npm test *)', 'Bash(npm *)', 'Bash(ls *)', 'Bash(cat *)',
  'Bash(make)', 'Bash(make *)', 'Bash(touch *)', 'Bash(curl *)', 'Bash(* main)', 'Bash(cp *)', 'Bash(python3 *)', 'Bash(tee *)', 'Bash(unknown-program *)', 'Bash(sed *)',
  'Bash(echo *)', 'Bash(find *)', 'Edit', 'Edit(out.txt)', 'Edit(src/**)', 'Edit(//tmp/**)', 'Read', 'Read(.env)', 'Read(src/**)', 'Read(~/.ssh/**)', 'WebFetch',
  'WebFetch(domain:x.example)', 'WebFetch(domain:*.example)', 'mcp__a', 'mcp__a__b', 'Agent', 'Agent(explore)', 'Glob', 'Grep',
  'Bash(re:(git|rm|npm) [a-z]+.*)', 'Bash(re:cat [^/]+)', 'Edit(re:.*/src/[a-z/]+\\.ts)', 'Read(re:.*\\.env)', 'WebFetch(re:([a-z]+\\.)?example)', 'Agent(re:expl.*)',
  'Bash(cat * | sort *)', 'Bash(npm publish *)', 'Bash(re:.*<<<.*)', 'WebFetch(domain:evil.test)', 'Read(x/**)',
]; // prettier-ignore

/** Tools of generated calls, and names that are none. */
export const TOOLS: Words = [
  'Bash', 'Read', 'Write', 'Edit', 'MultiEdit', 'NotebookEdit', 'Glob', 'Grep', 'WebFetch', 'WebSearch', 'Agent', 'Task', 'PowerShell', 'apply_patch', 'shell',
  'read_file', 'write_file', 'bash', 'mcp__a__b', 'mcp__a__', 'mcp__', 'ReadFile', 'WriteFile', 'Skill', 'AskUserQuestion', 'Nobody', '__proto__', 'constructor', '', 'Bash ', 'bash_run',
]; // prettier-ignore

/** Paths of generated calls. */
export const PATHS: Words = [
  'src/a.ts', './a', '../x', '/etc/passwd', '~/x', '~root/x', '/work/app/../../etc/x', '.git/hooks/pre-commit', '.ENV', '/proc/self/environ', 'C:\\x', '\\\\host\\x',
  '//x', '/', '', '.', 'a\0b', 'a/./b//c/', '/dev/sda', 'file:///etc/x', '%2e%2e/x', 'src/\u202ex', '/work/app', '/work/app2/x', '/tmp/x', '$HOME/x', '*.ts', '{a,b}',
]; // prettier-ignore

/** Addresses of generated calls. */
export const ADDRESSES: Words = [
  'https://x.example/y', 'http://x.example@evil.test/', 'https://evil.test#x.example', 'https://X.EXAMPLE.', 'ftp://x.example', 'x.example', 'https://[::1]/', 'http://127.1/',
  'https://x.example\\@evil.test', 'javascript:1', '', 'https://', 'https://\u0445.example/', 'http://169.254.169.254/latest', 'https://sub.x.example:8443/a?b=c',
]; // prettier-ignore
