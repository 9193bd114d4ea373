/** Sessions at the agents' door: open, cancel, stop, change mode and rules. */
import { randomUUID } from 'node:crypto';
import {
  DoorError,
  policyDocumentSchema,
  type Mode,
  type OpenSessionBody,
  type Rule,
  type RuleInput,
} from '@countersign/contracts';
import { inheritedOpening, type SessionState } from '@countersign/approval';
import { compilePolicy } from '@countersign/policy';
import type { Principal } from '@countersign/server';
import { DEFAULT_POLICY_NAME, openingFor } from './opening.js';
import type { FindPolicyModes } from './policy-modes.js';
import type { SessionDesk } from './session-desk.js';

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

export interface RulesWish {
  readonly deny?: readonly RuleInput[] | undefined;
  readonly ask?: readonly RuleInput[] | undefined;
  readonly allow?: readonly RuleInput[] | undefined;
  readonly remove?: readonly string[] | undefined;
}

export class SessionService {
  constructor(
    private readonly sessions: SessionDesk,
    private readonly policyModes: FindPolicyModes,
  ) {}

  /** The same opening by the same key again gives the same session. */
  async open(body: OpenSessionBody, principal: Principal): Promise<OpenedSessionView> {
    const { tenantId, keyId } = principal;
    const parent = await this.parentOf(body, principal);
    const modes = await this.policyModes(tenantId, principal.policy ?? DEFAULT_POLICY_NAME);
    const result = openingFor(principal, body, modes);
    if (!result.ok) throw new DoorError('auth.loosens', result.message);
    const sessionId = body.id ?? `session_${randomUUID()}`;
    const rootId = parent?.rootId ?? sessionId;
    const opening = inheritedOpening(result.opening, parent);
    const command = { type: 'OpenSession', sessionId, opening, keyId, rootId } as const;
    const opened = await this.sessions.execute({ tenantId, sessionId }, command, 'agent');
    if (!opened.ok) throw new DoorError(opened.code, opened.message);
    const state = await this.sessions.require({ tenantId, sessionId }, principal);
    return viewOf(sessionId, state);
  }

  private parentOf({ parentId }: OpenSessionBody, principal: Principal): Promise<SessionState | null> {
    if (parentId === undefined) return Promise.resolve(null);
    return this.sessions.require({ tenantId: principal.tenantId, sessionId: parentId }, principal);
  }

  async end(
    sessionId: string,
    principal: Principal,
    how: { cancel: boolean; reason: string },
  ): Promise<{ id: string }> {
    const type = how.cancel ? 'CancelSession' : 'StopSession';
    const target = { tenantId: principal.tenantId, sessionId };
    await this.sessions.command(target, principal, { type, reason: how.reason, by: nameOf(principal) });
    return { id: sessionId };
  }

  async setMode(sessionId: string, principal: Principal, mode: Mode): Promise<{ id: string; mode: Mode }> {
    const target = { tenantId: principal.tenantId, sessionId };
    await this.sessions.command(target, principal, { type: 'SetMode', mode, by: nameOf(principal) });
    return { id: sessionId, mode };
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

function viewOf(id: string, state: SessionState): OpenedSessionView {
  const { parentId, rootId, mode, cwd, roots, silent, tools, opening } = state;
  const { agent = '', policy = '', labels = {} } = opening ?? {};
  return { id, parentId, rootId, agent, policy, mode, cwd, roots, silent, tools, labels };
}

/** Who did it, for the record. */
function nameOf({ personName, keyId }: Principal): string {
  return personName ?? keyId;
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
