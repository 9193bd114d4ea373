/** Pools of rules and calls that meet each other often, for the properties of analysis, comparison and suggestions. */
import type { PolicyDocument, PolicyInput } from '@countersign/contracts';
import { parsePolicyDocument } from '../policy/parse-document.js';
import type { SampleCall } from './scene.js';

export function documentOf(input: PolicyInput): PolicyDocument {
  const parsed = parsePolicyDocument(input);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.document;
}

// prettier-ignore
const COMMANDS = [
  'ls -la', 'git status', 'git push', 'git push origin main', 'git push --force origin main', 'rm -rf build', 'rm x', 'npm test', 'npm test a', 'cat .env',
  'cat src/a.ts', 'make', 'make all', 'touch a', 'cat $X', 'curl http://x', 'E=1 npm test', '/bin/rm x', 'git -C x push', 'cat a > src/b', 'timeout 5 npm test',
  'npm test && make', 'make; rm x', 'tee src/f', 'sudo make', 'sh -c "npm test"', 'python3 -c 1', 'cat /etc/hosts', 'git push "a b"', 'xargs rm',
];
// prettier-ignore
const PATHS = [
  '/work/app/src/a.ts', '/work/app/src/x/b.ts', '/work/app/.env', '/work/app/README.md', '/etc/hosts', '/home/dev/notes', '/work/app/SRC/a',
];
const HOSTS = ['a.example', 'b.a.example', 'x.example'];
const OTHERS = ['mcp__db__drop', 'mcp__db__get_row', 'mcp__git__log', 'TodoWrite'];

/** Calls of every kind. */
export const CALLS: readonly SampleCall[] = [
  ...COMMANDS.map((command) => ({ tool: 'Bash', args: { command } })),
  ...['Read', 'Edit', 'Write'].flatMap((tool) => PATHS.map((path) => ({ tool, args: { file_path: path } }))),
  ...HOSTS.map((host) => ({ tool: 'WebFetch', args: { url: `https://${host}/p` } })),
  ...OTHERS.map((tool) => ({ tool, args: {} })),
];

/** Rules that overlap, nest, repeat and contradict each other. */
// prettier-ignore
export const RULES = [
  'Bash', 'Bash(git *)', 'Bash(git push *)', 'Bash(git push origin *)', 'Bash(git push * main)', 'Bash(rm *)', 'Bash(rm -rf *)', 'Bash(npm test *)', 'Bash(npm test)',
  'Bash(cat *)', 'Bash(make)', 'Bash(make *)', 'Bash(make:*)', 'Bash(* x)', 'Bash(sudo *)', 'Edit', 'Edit(src/**)', 'Edit(src/x/**)', 'Write(src/**)', 'Edit(//**)',
  'Read(.env)', 'Read(src/**)', 'Read(//etc/**)', 'mcp__db', 'mcp__db__*', 'mcp__db__drop', 'mcp__db__get_*', 'WebFetch', 'WebFetch(domain:*.a.example)',
  'WebFetch(domain:b.a.example)', 'WebFetch(domain:x.example)', 'TodoWrite', 'Bash(python3 *)',
  'Bash(re:git (push|pull).*)', 'Bash(re:make( [a-z0-9]+)?)', 'Edit(re:.*/src/[a-z0-9/]+)', 'Read(re:/etc/.*)', 'WebFetch(re:.*\\.a\\.example)',
] as const;
