/** The calls that every build is asked: what agents do all day, each allowed by the policy `standard` without a person. */

const CWD = '/work/app';

/** Arguments and paths differ from call to call, so that nothing remembered of an earlier one is measured. */
const KINDS = [
  (n) => ({ tool: 'Bash', args: { command: `git status --short | grep part${n}`, description: 'Look for changes' } }),
  (n) =>
    reading(
      'Read',
      { file_path: `${CWD}/src/part${n}/index.ts`, offset: 1, limit: 200 },
      `${CWD}/src/part${n}/index.ts`,
    ),
  (n) => reading('Grep', { pattern: `export function part${n}\\w+`, path: `${CWD}/src` }, `${CWD}/src`),
  (n) => reading('Bash', { command: `cat src/index.ts | grep -n "part${n}" | head -20` }, `${CWD}/src/index.ts`),
  (n) => ({ tool: 'Bash', args: { command: `ls -la && echo "step ${n}"`, description: 'List the folder' } }),
  (n) => ({
    tool: 'TodoWrite',
    args: { todos: [{ content: `Fix part ${n}`, status: 'pending', activeForm: 'Fixing' }] },
  }),
];

function reading(tool, args, path) {
  return { tool, args, resolvedPaths: { [path]: { real: path, exists: true } } };
}

/** JSON text of one request body. `n` counts the calls of a session. */
export function bodyOf(sessionId, n) {
  const call = KINDS[n % KINDS.length](n);
  return JSON.stringify({ sessionId, toolUseId: `toolu_${n}`, agent: 'claude-code', cwd: CWD, ...call });
}
