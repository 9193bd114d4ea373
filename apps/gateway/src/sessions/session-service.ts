/** Sessions at the agents' door: open, cancel, stop, change mode and rules. */
import { randomUUID } from 'node:crypto';
import {
  DoorError,
  MAX_SESSION_LINE,
  policyDocumentSchema,
  type Grant,
  type Mode,
  type OpenSessionBody,
  type PolicyDocument,
  type Rule,
  type RuleInput,
} from '@countersign/contracts';
import { effectiveMode, inheritedOpening, isTooDeep, type SessionState } from '@countersign/approval';
import { compilePolicy, legalModes } from '@countersign/policy';
import type { Ledger } from '@countersign/ledger';
import type { Principal } from '@countersign/server';
import { DEFAULT_POLICY_NAME, openingFor } from './opening.js';
import { modeOrder } from './mode-order.js';
import type { SessionDesk, SessionTarget } from './session-desk.js';
import type { FindSessionPolicy, SessionPolicy } from './session-policies.js';

/** A session as its agent sees it. */
export interface OpenedSessionView {
  readonly id: string;
  readonly parentId: string | null;
  readonly rootId: string;
  readonly agent: string;
  readonly policy: string;
  readonly mode: Mode;
  readonly cwd: string | null;
  readonly roots: readonly string[];
  readonly silent: boolean;
  readonly tools: readonly string[] | null;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * `running`: calls of the session and of all below it that an executor took up before, 1,000 at most; a tool of behaviour `block`
 * may finish.
 */
export interface EndedView {
  readonly id: string;
  readonly running: readonly string[];
}

export interface RulesWish {
  readonly deny?: readonly RuleInput[] | undefined;
  readonly ask?: readonly RuleInput[] | undefined;
  readonly allow?: readonly RuleInput[] | undefined;
  readonly remove?: readonly string[] | undefined;
}

export interface LimitsWish {
  readonly silent?: true | undefined;
  readonly tools?: readonly string[] | undefined;
}

export interface LimitsView {
  readonly id: string;
  readonly silent: boolean;
  readonly tools: readonly string[] | null;
}

export class SessionService {
  constructor(
    private readonly sessions: SessionDesk,
    private readonly policies: FindSessionPolicy,
    private readonly calls: Pick<Ledger['calls'], 'running'>,
  ) {}

  /** The same opening by the same key again gives the same session. */
  async open(body: OpenSessionBody, principal: Principal): Promise<OpenedSessionView> {
    const { tenantId, keyId } = principal;
    const parent = await this.parentOf(body, principal);
    const { document } = await this.policies(tenantId, principal.policy ?? DEFAULT_POLICY_NAME);
    const result = openingFor(principal, body, document);
    if (!result.ok) throw new DoorError('auth.loosens', result.message);
    const sessionId = body.id ?? `session_${randomUUID()}`;
    const rootId = parent?.rootId ?? sessionId;
    const opening = inheritedOpening(result.opening, parent, document);
    const grants = handedOver(body.grants ?? [], parent);
    const command = { type: 'OpenSession', sessionId, opening, keyId, rootId, grants } as const;
    const opened = await this.sessions.execute({ tenantId, sessionId }, command, 'agent');
    if (!opened.ok) throw new DoorError(opened.code, opened.message);
    const state = await this.sessions.require({ tenantId, sessionId }, principal);
    return viewOf(sessionId, state);
  }

  /** Throws `session.too_deep` where no session may stand below the parent. */
  private async parentOf({ parentId }: OpenSessionBody, principal: Principal): Promise<SessionState | null> {
    if (parentId === undefined) return null;
    const target = { tenantId: principal.tenantId, sessionId: parentId };
    const parent = await this.sessions.require(target, principal);
    if (parent.parentId !== null && isTooDeep(await this.sessions.lineOf(target))) {
      const message = `at most ${MAX_SESSION_LINE} sessions stand in one line, from the root down`;
      throw new DoorError('session.too_deep', message);
    }
    return parent;
  }

  async end(sessionId: string, principal: Principal, how: { cancel: boolean; reason: string }): Promise<EndedView> {
    const type = how.cancel ? 'CancelSession' : 'StopSession';
    const target = { tenantId: principal.tenantId, sessionId };
    const command = { type, reason: how.reason, by: nameOf(principal) } as const;
    const { running } = await this.sessions.command(target, principal, command);
    // What is below can take up nothing more by now; of the session itself the command knows exactly.
    const all = await this.calls.running(target.tenantId, sessionId);
    const below = all.filter((call) => call.sessionId !== sessionId).map(({ callId }) => callId);
    return { id: sessionId, running: [...running, ...below] };
  }

  async setMode(sessionId: string, principal: Principal, mode: Mode): Promise<{ id: string; mode: Mode }> {
    const target = { tenantId: principal.tenantId, sessionId };
    const { document } = await this.policyOf(target, principal);
    if (!legalModes(document.preset).includes(mode)) throw new DoorError('mode.unknown');
    await this.sessions.command(target, principal, { type: 'SetMode', mode, ...authorOf(principal) });
    return this.modeOf(target, document);
  }

  /** To the next mode in the printed order; an agent passes only the modes that it may choose by itself. */
  async nextMode(sessionId: string, principal: Principal): Promise<{ id: string; mode: Mode }> {
    const target = { tenantId: principal.tenantId, sessionId };
    const { document } = await this.policyOf(target, principal);
    const order = modeOrder(document, principal.role === 'agent');
    await this.sessions.command(target, principal, { type: 'NextMode', order, ...authorOf(principal) });
    return this.modeOf(target, document);
  }

  /** The mode that the session's calls are judged by: below a parent it may be stricter than the session's own. */
  private async modeOf(target: SessionTarget, document: PolicyDocument): Promise<{ id: string; mode: Mode }> {
    const line = await this.sessions.lineOf(target);
    const own = line.at(-1);
    if (own === undefined) throw new DoorError('session.unknown');
    return { id: target.sessionId, mode: effectiveMode(own, { mode: null }, document, line.slice(0, -1)) };
  }

  async narrow(sessionId: string, principal: Principal, wish: LimitsWish): Promise<LimitsView> {
    const target = { tenantId: principal.tenantId, sessionId };
    const { silent = false, tools = null } = wish;
    await this.sessions.command(target, principal, { type: 'NarrowSession', silent, tools, by: nameOf(principal) });
    const state = await this.sessions.require(target, principal);
    return { id: sessionId, silent: state.silent, tools: state.tools };
  }

  async rules(sessionId: string, principal: Principal): Promise<{ id: string; rules: Rule[] }> {
    const { rules } = await this.sessions.require({ tenantId: principal.tenantId, sessionId }, principal);
    return { id: sessionId, rules: [...rules] };
  }

  private async policyOf(target: SessionTarget, principal: Principal): Promise<SessionPolicy> {
    const state = await this.sessions.require(target, principal);
    return this.policies(target.tenantId, state.opening?.policy ?? '');
  }

  async resetBreaker(sessionId: string, principal: Principal): Promise<{ id: string }> {
    const target = { tenantId: principal.tenantId, sessionId };
    await this.sessions.command(target, principal, { type: 'ResetBreaker', by: nameOf(principal) });
    return { id: sessionId };
  }

  async changeRules(sessionId: string, principal: Principal, wish: RulesWish): Promise<{ id: string; rules: Rule[] }> {
    const target = { tenantId: principal.tenantId, sessionId };
    const added = readRules(wish);
    const removed = [...(wish.remove ?? [])];
    await this.sessions.command(target, principal, { type: 'ChangeRules', added, removed, by: nameOf(principal) });
    const state = await this.sessions.require(target, principal);
    return { id: sessionId, rules: [...state.rules] };
  }
}

/**
 * Copies of the parent's grants, under ids of their own. INVARIANT: a child gets no more than its parent has: a one-time grant and
 * one with a count stay where they are, since two could use them.
 */
function handedOver(ids: readonly string[], parent: SessionState | null): Grant[] {
  return ids.map((id) => {
    const grant = parent?.grants.find((one) => one.id === id);
    if (grant === undefined) throw new DoorError('grant.unknown', `the parent has no grant \`${id}\``);
    if (grant.kind === 'once' || (grant.uses ?? null) !== null) {
      throw new DoorError('auth.loosens', `the grant \`${id}\` is for the parent alone`);
    }
    return { ...grant, id: `grant_${randomUUID()}` };
  });
}

function viewOf(id: string, state: SessionState): OpenedSessionView {
  const { parentId, rootId, mode, cwd, roots, silent, tools, opening } = state;
  const { agent = '', policy = '', labels = {} } = opening ?? {};
  return { id, parentId, rootId, agent, policy, mode, cwd, roots, silent, tools, labels };
}

/** Who did it, for the record. */
function nameOf({ personName, keyId }: Principal): string {
  return personName ?? keyId;
}

/** What a person sets holds against the agent. */
function authorOf(principal: Principal): { by: string; byPerson?: true } {
  const by = nameOf(principal);
  return principal.role === 'agent' ? { by } : { by, byPerson: true };
}

/** Throws `policy.invalid` for a rule that cannot be read: left out silently it would loosen or mislead. */
function readRules({ deny = [], ask = [], allow = [] }: RulesWish): Rule[] {
  const lists = { deny: [...deny], ask: [...ask], allow: [...allow] };
  const compiled = compilePolicy(policyDocumentSchema.parse(lists));
  const problems = compiled.ok ? compiled.policy.warnings : compiled.problems;
  const [problem] = problems;
  if (problem !== undefined) {
    throw new DoorError('policy.invalid', `${problem.path}: ${problem.message}`, { problems: [...problems] });
  }
  return (['deny', 'ask', 'allow'] as const).flatMap((effect) =>
    lists[effect].map((input, order) => ruleOf(input, effect, order)),
  );
}

function ruleOf(input: RuleInput, effect: Rule['effect'], order: number): Rule {
  const written = typeof input === 'string' ? { rule: input } : input;
  const { rule: pattern, id = `${effect}:${pattern}`, reason = '', match = [], notMatch = [] } = written;
  return { id, effect, pattern, source: 'session', reason, order: written.order ?? order, match, notMatch };
}
