/** What an agent's loop reports of its run, and what it is told: directives, and results of background tasks. */
import type { BackgroundResult, SessionEvent, Told } from '@countersign/contracts';
import { mayCompact, toldOf, type CallCounts, type ProgressCommand } from '@countersign/approval';
import type { Principal } from '@countersign/server';
import { sha256hex } from '../calls/build-call.js';
import type { SessionDesk } from './session-desk.js';
import type { FindSessionPolicy } from './session-policies.js';

/** A text for the model's conversation. */
export interface InjectedMessage {
  readonly role: 'user';
  readonly content: string;
}

/** What the loop is told; `directive` null: go on. `injected` goes into the conversation before the next model call. */
export interface ProgressView {
  readonly id: string;
  readonly directive: Told['directive'] | null;
  readonly level?: number;
  readonly injected: readonly InjectedMessage[];
}

export interface StepView extends ProgressView {
  /** Every third completed step: how many calls came to which end so far. */
  readonly summary: CallCounts | null;
}

export interface CompactionView {
  readonly id: string;
  /** May the agent go on making its context smaller by itself? */
  readonly autoCompaction: boolean;
}

export interface StepReport {
  readonly step: number;
  readonly newInformation?: boolean | undefined;
  readonly completed?: boolean | undefined;
}

export interface ProgressDeps {
  readonly sessions: SessionDesk;
  readonly policies: FindSessionPolicy;
}

const SUMMARY_EVERY = 3;

export class ProgressService {
  constructor(private readonly deps: ProgressDeps) {}

  async step(sessionId: string, principal: Principal, report: StepReport): Promise<StepView> {
    const { step, newInformation = null, completed = false } = report;
    const wish = { type: 'ReportStep', step, newInformation, completed } as const;
    const events = await this.send(sessionId, principal, wish);
    const body = bodyOf(events, 'StepReported');
    const view = viewOf(sessionId, body?.told ?? null, body?.handedOver ?? []);
    return { ...view, summary: completed ? await this.summary(sessionId, principal) : null };
  }

  async usage(sessionId: string, principal: Principal, tokens: number): Promise<ProgressView> {
    const events = await this.send(sessionId, principal, { type: 'ReportUsage', tokens });
    return viewOf(sessionId, bodyOf(events, 'UsageReported')?.told ?? null, []);
  }

  /** The user wrote. A new turn begins; a stopped session goes on. */
  async prompt(sessionId: string, principal: Principal, text: string): Promise<ProgressView> {
    const characters = [...text].length;
    const events = await this.send(sessionId, principal, { type: 'ReportPrompt', characters, hash: sha256hex(text) });
    const { state, limits } = await this.standing(sessionId, principal);
    return viewOf(sessionId, toldOf(state, [], limits), bodyOf(events, 'PromptSubmitted')?.handedOver ?? []);
  }

  async compaction(
    sessionId: string,
    principal: Principal,
    { phase, ok }: { phase: 'pre' | 'post'; ok: boolean | undefined },
  ): Promise<CompactionView> {
    await this.send(sessionId, principal, { type: 'ReportCompaction', phase, ok: ok ?? null });
    const { state, limits } = await this.standing(sessionId, principal);
    return { id: sessionId, autoCompaction: mayCompact(state, limits) };
  }

  private async summary(sessionId: string, principal: Principal): Promise<CallCounts | null> {
    const { state } = await this.standing(sessionId, principal);
    return state.run.completedSteps % SUMMARY_EVERY === 0 ? state.counts : null;
  }

  private async standing(sessionId: string, principal: Principal) {
    const state = await this.deps.sessions.require({ tenantId: principal.tenantId, sessionId }, principal);
    const { limits } = await this.deps.policies(principal.tenantId, state.opening?.policy ?? '');
    return { state, limits };
  }

  private async send(sessionId: string, principal: Principal, wish: Unlimited): Promise<readonly SessionEvent[]> {
    const { limits } = await this.standing(sessionId, principal);
    const command = { ...wish, limits, by: principal.keyId } as ProgressCommand;
    const done = await this.deps.sessions.command({ tenantId: principal.tenantId, sessionId }, principal, command);
    return done.events;
  }
}

type WithoutTerms<T> = T extends ProgressCommand ? Omit<T, 'limits' | 'by'> : never;
/** A report as the door has it; the policy's limits and the sender are added. */
type Unlimited = WithoutTerms<ProgressCommand>;

function bodyOf<T extends SessionEvent['type']>(events: readonly SessionEvent[], type: T) {
  const found = events.find((event): event is Extract<SessionEvent, { type: T }> => event.type === type);
  return found?.body as Extract<SessionEvent, { type: T }>['body'] | undefined;
}

function viewOf(id: string, told: Told | null, results: readonly BackgroundResult[]): ProgressView {
  const texts = [...results.map(({ tool, text }) => `${tool} ended: ${text}`), ...(told === null ? [] : [told.text])];
  return {
    id,
    directive: told?.directive ?? null,
    ...(told?.level === undefined ? {} : { level: told.level }),
    injected: texts.map((content) => ({ role: 'user', content })),
  };
}
