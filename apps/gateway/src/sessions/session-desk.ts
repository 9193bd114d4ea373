/** Commands on sessions: who may send them, their execution, and telling everybody whose ask they ended. */
import {
  DoorError,
  type CallOutcome,
  type Channel,
  type DecidedMessage,
  type ErrorCode,
  type SessionEvent,
} from '@countersign/contracts';
import { isTightening, type SessionCommand, type SessionState } from '@countersign/approval';
import type { Ledger, VaultEntry } from '@countersign/ledger';
import type { Bus } from '@countersign/queue';
import type { Principal } from '@countersign/server';
import { loadSessionLine } from '../live/session-line.js';
import type { FindPolicyModes } from './policy-modes.js';

export interface SessionTarget {
  readonly tenantId: string;
  readonly sessionId: string;
}

export interface SessionDeskDeps {
  readonly ledger: Pick<Ledger, 'execute' | 'loadRound'>;
  readonly bus: Pick<Bus, 'decided' | 'ended'>;
  readonly policyModes: FindPolicyModes;
}

export type CommandOutcome =
  | {
      readonly ok: true;
      readonly outcomes: readonly CallOutcome[];
      /** What was recorded; empty: it was so already. */
      readonly events: readonly SessionEvent[];
      /** Calls that were taken up before a cancel or stop and are not reported yet: they run already. */
      readonly running: readonly string[];
      /** Calls that a reported failure stops. */
      readonly siblings: readonly string[];
    }
  | { readonly ok: false; readonly code: ErrorCode; readonly message?: string };

/** The session as it was before a command, and what the command recorded. */
export interface CommandDone {
  readonly state: SessionState;
  readonly events: readonly SessionEvent[];
  readonly running: readonly string[];
}

/** Commands that executors of the session must hear of. */
const ENDS: Partial<Record<SessionCommand['type'], 'cancelled' | 'stopped'>> = {
  CancelSession: 'cancelled',
  StopSession: 'stopped',
};

export class SessionDesk {
  constructor(private readonly deps: SessionDeskDeps) {}

  /** The session's state; null when there is none in this tenant. */
  async find({ tenantId, sessionId }: SessionTarget): Promise<SessionState | null> {
    const streams = [{ tenantId, streamId: sessionId, knownSeq: null }];
    const { heads } = await this.deps.ledger.loadRound({ tenants: [], streams, keys: [], hashJoins: [] });
    return heads[0]?.state ?? null;
  }

  /** The session with all above it, root first. */
  async lineOf(target: SessionTarget): Promise<readonly SessionState[]> {
    return (await loadSessionLine(this.deps.ledger, target)).line;
  }

  /** Throws unless the session is the tenant's, and for an agent's key its own. */
  async require(target: SessionTarget, principal: Principal): Promise<SessionState> {
    const state = await this.find(target);
    if (state === null) throw new DoorError('session.unknown');
    if (principal.role === 'agent' && state.keyId !== principal.keyId) throw new DoorError('auth.not_own_session');
    return state;
  }

  /** Sends a command for a key; an agent's key may only tighten its own sessions. */
  async command(target: SessionTarget, principal: Principal, command: SessionCommand): Promise<CommandDone> {
    const state = await this.require(target, principal);
    if (principal.role === 'agent') {
      const modes = await this.deps.policyModes(target.tenantId, state.opening?.policy ?? '');
      if (!isTightening(command, state, modes)) throw new DoorError('auth.loosens');
    }
    const result = await this.execute(target, command, 'system');
    if (!result.ok) throw new DoorError(result.code, result.message);
    return { state, events: result.events, running: result.running };
  }

  /** Executes without asking who sends it, and tells of every ask that came to its end. `vault`: originals of the command. */
  async execute(
    target: SessionTarget,
    command: SessionCommand,
    channel: Channel,
    vault: readonly VaultEntry[] = [],
  ): Promise<CommandOutcome> {
    const result = await this.deps.ledger.execute(target, command, vault);
    if (!result.ok) return result;
    const byAsk = new Map(result.outcomes.map(({ askId, outcome }) => [askId, outcome]));
    await Promise.all(
      [...byAsk].map(([askId, outcome]) => this.deps.bus.decided(decidedMessage(target, { askId, outcome, channel }))),
    );
    const how = ENDS[command.type];
    const { tenantId, sessionId } = target;
    if (how !== undefined) await this.deps.bus.ended({ tenantId, sessionId, how });
    const { events, running = [], siblings = [] } = result;
    return { ok: true, outcomes: [...byAsk.values()], events, running, siblings };
  }
}

function decidedMessage(
  target: SessionTarget,
  end: { askId: string; outcome: CallOutcome; channel: Channel },
): DecidedMessage {
  const { approvalStatus } = end.outcome;
  const status = approvalStatus === null || approvalStatus === 'not_required' ? 'cancelled' : approvalStatus;
  return { ...target, ...end, status };
}
