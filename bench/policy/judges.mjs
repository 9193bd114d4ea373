/**
 * The three judges. Each gives `{name, prepare(call), judge(prepared)}`: `prepare` makes what a caller would hold anyway and is
 * not measured; `judge` gives allow, ask or deny and is.
 */
import { preparsePolicySet, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs';
import { compilePolicy, evaluate, parsePolicyDocument, requiredPaths } from '@countersign/policy';
import { ROOT } from './rule-sets.mjs';

/** Our engine, with preset `standard` and all its built-in checks. */
export function countersign(rules) {
  const policy = compile(rules);
  const session = SESSION;
  const facts = {
    now: '2026-01-01T00:00:00.000Z',
    session,
    protectedPaths: ['/var/lib/countersign'],
    platform: 'linux',
  };
  return {
    name: 'countersign',
    prepare: ({ tool, args }) => {
      // The engine remembers what it read of a call object, so the evidence is planned on a twin.
      const paths = requiredPaths(engineCall(tool, { ...args }), policy, session);
      const resolvedPaths = Object.fromEntries(paths.map((path) => [path, { real: path, exists: true }]));
      return { call: engineCall(tool, args), facts: { ...facts, resolvedPaths } };
    },
    judge: ({ call, facts: known }) => evaluate(call, policy, known).effect,
  };
}

const SESSION = {
  sessionId: 'bench',
  cancelled: false,
  stopped: false,
  breakerOpen: false,
  heldBy: null,
  mode: 'default',
  silent: false,
  subagent: false,
  tools: null,
  rules: [],
  grants: [],
  roots: [ROOT],
  cwd: ROOT,
  home: '/home/dev',
};

function engineCall(tool, args) {
  return { tool, args, problem: null, argsHash: 'bench', cwd: ROOT, reportedMode: null };
}

function compile(rules) {
  const lists = { deny: [], ask: [], allow: [] };
  for (const rule of rules) lists[rule.effect].push({ rule: ourPattern(rule), id: rule.id });
  const parsed = parsePolicyDocument(lists);
  const compiled = parsed.ok ? compilePolicy(parsed.document) : parsed;
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return compiled.policy;
}

function ourPattern(rule) {
  switch (rule.kind) {
    case 'command':
      return `Bash(${rule.program} ${rule.verb} *)`;
    case 'path':
      return `${rule.tool}(/${rule.folder}**)`;
    case 'mcp':
      return rule.tool;
    default:
      return `${rule.tool}(domain:${rule.host})`;
  }
}

/** Where our engine splits a command line by a shell's grammar, the other two get by with its separators: the bench's lines need no more. */
const SEPARATORS = / && |; | \| /;

function partsOf({ tool, subject }) {
  return tool === 'Bash' ? subject.split(SEPARATORS) : [subject];
}

function strictest(effects) {
  return effects.includes('deny') ? 'deny' : effects.includes('ask') ? 'ask' : 'allow';
}

/**
 * Cedar with a preparsed policy set. Asks and denies are `forbid` policies told apart by their ids in the answer; one request for
 * each simple command, since Cedar cannot say "every part".
 */
export function cedar(rules) {
  const id = `bench-${rules.length}`;
  const staticPolicies = Object.fromEntries(rules.map((rule) => [`${rule.effect}:${rule.id}`, cedarPolicy(rule)]));
  const parsed = preparsePolicySet(id, { staticPolicies });
  if (parsed.type !== 'success') throw new Error(JSON.stringify(parsed.errors));
  return {
    name: 'cedar',
    prepare: (call) => call,
    judge: (call) => strictest(partsOf(call).map((subject) => cedarEffect(id, call.tool, subject))),
  };
}

function cedarPolicy(rule) {
  const head = `${rule.effect === 'allow' ? 'permit' : 'forbid'}(principal, action == Action::"call", resource == Tool::`;
  switch (rule.kind) {
    case 'command': {
      const start = `${rule.program} ${rule.verb}`;
      return `${head}"Bash") when { context.subject == "${start}" || context.subject like "${start} *" };`;
    }
    case 'path':
      return `${head}"${rule.tool}") when { context.subject like "${rule.folder}*" };`;
    case 'mcp':
      return `${head}"${rule.tool}");`;
    default:
      return `${head}"${rule.tool}") when { context.subject == "${rule.host}" || context.subject like "*.${rule.host}" };`;
  }
}

function cedarEffect(preparsedPolicySetId, tool, subject) {
  const answer = statefulIsAuthorized({
    principal: { type: 'Agent', id: 'bench' },
    action: { type: 'Action', id: 'call' },
    resource: { type: 'Tool', id: tool },
    context: { subject },
    preparsedPolicySetId,
    entities: [],
  });
  if (answer.type !== 'success') throw new Error(JSON.stringify(answer.errors));
  const { decision, diagnostics } = answer.response;
  if (diagnostics.errors.length > 0) throw new Error(JSON.stringify(diagnostics.errors));
  if (decision === 'allow') return 'allow';
  return diagnostics.reason.some((policy) => policy.startsWith('deny:')) ? 'deny' : 'ask';
}

/** What one writes first: every rule in turn, the strictest list first, a regular expression each. */
export function plainLoop(rules) {
  const order = { deny: 0, ask: 1, allow: 2 };
  const list = [...rules]
    .sort((a, b) => order[a.effect] - order[b.effect])
    .map((rule) => ({ effect: rule.effect, tool: rule.tool ?? 'Bash', pattern: plainPattern(rule) }));
  const effectOf = (tool, subject) =>
    list.find((rule) => rule.tool === tool && rule.pattern.test(subject))?.effect ?? 'ask';
  return {
    name: 'plain loop',
    prepare: (call) => call,
    judge: (call) => strictest(partsOf(call).map((subject) => effectOf(call.tool, subject))),
  };
}

function plainPattern(rule) {
  switch (rule.kind) {
    case 'command':
      return new RegExp(`^${literal(rule.program)} ${literal(rule.verb)}(?: .*)?$`);
    case 'path':
      return new RegExp(`^${literal(rule.folder)}.*$`);
    case 'mcp':
      return /^/;
    default:
      return new RegExp(`^(?:.*\\.)?${literal(rule.host)}$`);
  }
}

function literal(text) {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
