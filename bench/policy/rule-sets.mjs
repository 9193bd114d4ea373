/**
 * Rule sets for the bench, as neutral data that each judge translates into its own language. Of `size` rules 40 % are about
 * commands, 30 % about paths, 20 % about MCP tools, 10 % about hosts. A tenth of all rules touch the tool of a probe: for `Bash`
 * the rules about its program, for MCP those about its server. Deny, ask and allow take turns.
 */

/** The folder that all paths of the bench lie in. */
export const ROOT = '/work/app';

const EFFECTS = ['allow', 'ask', 'deny'];

/** Groups of rules: their share of the set in tenths, the effect they begin with, and the rule with a number. */
const GROUPS = [
  { tenths: 1, first: 0, make: (k) => ({ kind: 'command', program: 'git', verb: `task-${k}` }) },
  { tenths: 3, first: 0, make: (k) => ({ kind: 'command', program: `tool${k}`, verb: 'run' }) },
  { tenths: 1, first: 0, make: (k) => ({ kind: 'path', tool: 'Edit', folder: `${ROOT}/edit-${k}/` }) },
  { tenths: 2, first: 1, make: (k) => ({ kind: 'path', tool: 'Read', folder: `${ROOT}/read-${k}/` }) },
  { tenths: 1, first: 1, make: (k) => ({ kind: 'mcp', tool: `mcp__tracker__op_${k}` }) },
  { tenths: 1, first: 0, make: (k) => ({ kind: 'mcp', tool: `mcp__server${k}__op` }) },
  { tenths: 1, first: 2, make: (k) => ({ kind: 'domain', tool: 'WebFetch', host: `host-${k}.example` }) },
];

/** The rules of a set; `size` is a multiple of ten. Each is `{id, effect, kind, …}`. */
export function makeRules(size) {
  return GROUPS.flatMap(({ tenths, first, make }, group) =>
    Array.from({ length: (size / 10) * tenths }, (_, k) => ({
      id: `g${group}-${k}`,
      effect: EFFECTS[(first + k) % EFFECTS.length],
      ...make(k),
    })),
  );
}
