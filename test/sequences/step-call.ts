/** A call of a sequence: sent through the agents' door with the evidence that a client on the agent's machine gathers. */
import { posix } from 'node:path';
import type { CallOutcome, Match, ResolvedPaths, SessionFacts, StoredEvent, Verdict } from '@countersign/contracts';
import { requiredPaths } from '@countersign/policy';
import type { Answer } from '../system/doors.js';
import type { Observed } from './compare.js';
import { hookNames, hooksRun, permitOf } from './look-ups.js';
import { LEAD, type SentCall, type Sequence } from './sequence.js';
import type { CallWish } from './sequence-row.js';

export async function sendCall(sequence: Sequence, wish: CallWish): Promise<Observed> {
  const agent = wish.context?.agent ?? LEAD;
  const sessionId = sequence.sessionOf(agent);
  const answer = await sequence.agent('POST', '/v1/tool-calls', callBody(sequence, wish));
  const sent = { wish, sessionId, answer, outcome: outcomeOf(answer) };
  sequence.calls.set(wish.id, sent);
  return observed(sequence, sent);
}

export function callBody(sequence: Sequence, wish: CallWish): Record<string, unknown> {
  const agent = wish.context?.agent ?? LEAD;
  return {
    sessionId: sequence.sessionOf(agent),
    toolUseId: wish.id,
    tool: wish.tool,
    args: wish.args,
    cwd: sequence.row.cwd,
    agent,
    resolvedPaths: evidenceOf(sequence, wish),
    wait: 0,
    permit: true,
  };
}

export function outcomeOf(answer: Answer): CallOutcome | null {
  return answer.status === 200 ? (answer.body as CallOutcome) : null;
}

/** A path that the row does not list exists and is its own real path. */
function evidenceOf(sequence: Sequence, { tool, args, context }: CallWish): ResolvedPaths {
  const { policy, row } = sequence;
  const call = { tool, args, problem: null, argsHash: '', cwd: row.cwd, reportedMode: null };
  const broken = context?.resolveError ?? {};
  const evidence: ResolvedPaths = {};
  // Hooks may put other arguments in their place; whoever expects that sends what it knows of those as well.
  const rewrites = row.hooks.flatMap((hook) =>
    'updated_args' in hook ? [{ ...call, args: hook['updated_args'] }] : [],
  );
  const paths = [call, ...rewrites].flatMap((one) => requiredPaths(one, policy, factsOf(sequence)));
  for (const path of paths) {
    evidence[path] = Object.hasOwn(broken, path)
      ? { real: null, exists: false, failed: true }
      : { real: posix.normalize(path), exists: true };
  }
  return evidence;
}

function factsOf({ row, sessionId }: Sequence): SessionFacts {
  const { roots, cwd, home } = row;
  const calm = { cancelled: false, stopped: false, breakerOpen: false, heldBy: null, mode: 'default' } as const;
  const free = { silent: false, subagent: false, tools: null, rules: [], grants: [] };
  return { sessionId, ...calm, ...free, roots, cwd, home };
}

const CODES: Readonly<Record<string, string>> = { 'guard.breaker': 'breaker_open' };

/** What a call showed, by the names that rows use. */
function observed(sequence: Sequence, sent: SentCall): Observed {
  const { wish, answer } = sent;
  const outcome = sent.outcome;
  const { id } = wish;
  const event = () => verdictEvent(sequence, id);
  const winner = async () => winnerOf((await event()).body as { verdict: Verdict });
  const level = async () => (await winner())?.level;
  const effect = outcome?.decision === 'pending' ? 'ask' : outcome?.decision;
  return {
    effect: async () => (await permissionOf(sequence, id, outcome)) ?? effect,
    accepted: () => answer.status === 200,
    code: () => (outcome === null ? answer.body.error?.code : codeOf(outcome.ruleId)),
    ruleId: () => outcome?.ruleId,
    reason: () => outcome?.reason,
    message: () => outcome?.reason,
    directive: () => (outcome?.stop === true ? 'terminate' : null),
    executionStatus: () => (effect === 'deny' ? 'blocked' : 'running'),
    protocolBlock: () => ({ isError: effect === 'deny' }),
    handlerCalled: () => effect === 'allow',
    precedence: level,
    step: level,
    ruleSource: async () => (await winner())?.source,
    // What stops at the request goes no further: rules and modes are not what answers.
    evaluated: async () => (await winner())?.layer !== 'request',
    asksOpened: async () => (await sequence.eventsOf(id)).filter(({ type }) => type === 'AskOpened').length,
    denials: () => denialsOf(sequence, sent.sessionId),
    event: async () => ((await event()).type === 'AskOpened' ? 'PermissionRequest' : 'none'),
    explanationKeys: async () => Object.keys(await explanationOf(sequence, id)),
    riskLevelIn: async () => (await explanationOf(sequence, id))['risk_level'],
    finalArgs: async () => finalArgsIn((await event()).body),
    additionalContextContains: () => outcome?.additionalContext,
    hooksRun: () => hooksRun(sequence, id),
    hookCalled: (expected) => hookNames(sequence, sent.sessionId, expected),
    audit: async () => ({ agent_name: (await event()).agent }),
    streamed: () => sequence.streamed(id),
    permit: () => permitOf(outcome),
  };
}

/**
 * Where arguments are checked last, their flaw is no matter of permission: there the row's effect is what rules and mode say.
 * The door refuses such a call all the same, since nobody could run it.
 */
async function permissionOf(sequence: Sequence, id: string, outcome: CallOutcome | null): Promise<string | undefined> {
  const checkedLast = sequence.policy.preset.checksSchema === 'last';
  if (!checkedLast || outcome?.ruleId !== 'request.invalid_arguments') return undefined;
  const { verdict } = (await verdictEvent(sequence, id)).body as { verdict: Verdict };
  const others = verdict.matches.filter(({ layer }) => layer !== 'request').map(({ effect }) => effect);
  return ['deny', 'ask', 'allow'].find((effect) => others.some((one) => one === effect));
}

/** The arguments that would run: those that hooks put in place of the agent's own. */
function finalArgsIn(body: unknown): unknown {
  const { finalArgs, request } = body as { finalArgs?: { json?: string }; request: { args: { json?: string } } };
  return JSON.parse(finalArgs?.json ?? request.args.json ?? 'null') as unknown;
}

export function codeOf(ruleId: string): string {
  return CODES[ruleId] ?? ruleId.replace(/^guard\./, '');
}

export async function denialsOf(sequence: Sequence, sessionId: string) {
  const { denialsInRow, denialsTotal } = await sequence.state(sessionId);
  return { consecutive: denialsInRow, total: denialsTotal };
}

/** The first event that holds the call's verdict. */
async function verdictEvent(sequence: Sequence, id: string): Promise<StoredEvent> {
  const found = (await sequence.eventsOf(id)).find(({ type }) => type === 'AskOpened' || type === 'ToolCallDecided');
  if (found === undefined) throw new Error(`no event holds the verdict of \`${id}\``);
  return found;
}

function winnerOf({ verdict }: { verdict: Verdict }): Match | undefined {
  return verdict.matches.find(
    ({ ruleId, layer, effect, reason }) =>
      ruleId === verdict.ruleId && layer === verdict.layer && effect === verdict.effect && reason === verdict.reason,
  );
}

/** The explanation that people are shown with an ask, by the seed's names. */
async function explanationOf(sequence: Sequence, id: string): Promise<Record<string, unknown>> {
  const { explanation } = await sequence.ask(id);
  if (typeof explanation !== 'object' || explanation === null) return {};
  const { riskLevel, explanation: text, reasoning, risk } = explanation as Record<string, unknown>;
  return { risk_level: String(riskLevel).toUpperCase(), explanation: text, reasoning, risk };
}
