/** What a gateway is made of, put together once. */
import { Logger } from '@nestjs/common';
import { DoorError, type Meter, type Tracing } from '@countersign/contracts';
import type { Hooks } from '@countersign/hooks';
import type { Ledger } from '@countersign/ledger';
import type { Bus, Queue, Seal } from '@countersign/queue';
import { signingKeyOf } from '@countersign/permits';
import { vaultKeysOrNew, type Authenticator, type KillWatch, type VaultKeys } from '@countersign/server';
import { CallDesk } from './calls/call-desk.js';
import type { GatewayConfig } from './config.js';
import type { HookDeps } from './hooks/answer-hook.js';
import { createRestoreInput } from './calls/restore-input.js';
import type { AgentLineDeps } from './live/agents.gateway.js';
import { SessionStreams } from './live/session-streams.js';
import { createHandOut, type HandOut } from './permits/hand-out.js';
import { PermitService } from './permits/permit-service.js';
import { Results } from './results/results.js';
import { createPolicyModes } from './sessions/policy-modes.js';
import { SessionDesk } from './sessions/session-desk.js';
import { ProgressService } from './sessions/progress-service.js';
import { createSessionPolicies } from './sessions/session-policies.js';
import { SessionService } from './sessions/session-service.js';
import { BatchService } from './tool-calls/batch-service.js';
import { ToolCallService } from './tool-calls/tool-call-service.js';

export interface GatewayDeps {
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly bus: Bus;
  readonly seal: Seal;
  readonly config: GatewayConfig;
  /** Seeds of permit keys in base64: the first signs, all verify. Absent: no permits. */
  readonly permitKeys?: readonly string[];
  /** What runs on reported results. Absent: this installation has none. */
  readonly hooks?: Hooks;
  /** Absent, as in tests: keys that end with the process, so that nothing that was sealed can be read later. */
  readonly vaultKeys?: VaultKeys;
  readonly meter?: Meter;
  readonly tracing?: Tracing;
}

export interface GatewayParts {
  readonly line: AgentLineDeps;
  readonly streams: SessionStreams;
  readonly sessionDesk: SessionDesk;
  readonly desk: CallDesk;
  readonly toolCalls: ToolCallService;
  readonly permits: PermitService;
  readonly batches: BatchService;
  readonly progress: ProgressService;
  readonly sessions: SessionService;
  readonly hooks: HookDeps;
}

export function createGatewayParts(
  { ledger, queue, bus, seal, config, permitKeys = [], ...watched }: GatewayDeps,
  keys: Authenticator,
  kills: KillWatch,
): GatewayParts {
  const log = new Logger('gateway');
  const onError = (error: unknown): void =>
    log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const policyModes = createPolicyModes(ledger.policies, Date.now);
  const policies = createSessionPolicies(ledger.policies, Date.now);
  const sessions = new SessionDesk({ ledger, bus, policyModes });
  const limits = { maxWaiters: config.maxWaiters, maxChars: config.maxWaitingChars };
  const { meter, tracing } = watched;
  const observers = { ...(meter ? { meter } : {}), ...(tracing ? { tracing } : {}) };
  const desk = new CallDesk({ queue, bus, seal, ledger, limits, judgeMs: config.judgeMs, onError, ...observers });
  const { calls } = ledger;
  const signing = permitKeys.map(signingKeyOf);
  const [key] = signing;
  const vaultKeys = vaultKeysOrNew(watched.vaultKeys);
  const restore = createRestoreInput({ vault: ledger.vault, vaultKeys });
  const { hooks } = watched;
  const results = new Results({ ledger, sessions, policies, vaultKeys, ...(hooks ? { hooks } : {}) });
  const kept = { vault: ledger.vault, vaultKeys };
  const handOutRestored = createHandOut({
    kills,
    lineOf: (tenantId, sessionId) => ledger.sessions.line(tenantId, sessionId),
    recorded: new Set<string>(),
    execute: (target, command) => sessions.execute(target, command, 'system'),
    permits: key === undefined ? null : { ledger, policies, key, seconds: config.permitSeconds },
  });
  const handOut: HandOut = async (outcome, place, permit) =>
    handOutRestored(await restore(outcome, place.tenantId), place, permit);
  const toolCalls = new ToolCallService({ desk, sessions, calls, policies, policyModes, handOut, results, kept });
  const { maxSockets, maxStreams, streamPollMs: pollMs } = config;
  return {
    desk,
    toolCalls,
    line: { ledger, bus, authenticator: keys, toolCalls, sessions, policies, handOut, kills, maxSockets, meter },
    streams: new SessionStreams({ ledger, policies, kills, authenticator: keys, handOut, maxStreams, pollMs, onError }),
    sessionDesk: sessions,
    batches: new BatchService({ desk, sessions, policies, policyModes, handOut }),
    permits: new PermitService({ ledger, sessions, policies, keys: { keys: signing.map(({ jwk }) => jwk) } }),
    sessions: new SessionService(sessions, policies, calls),
    progress: new ProgressService({ sessions, policies }),
    hooks: {
      desk,
      handOut,
      sessions,
      calls,
      results,
      policyModes,
      onError,
      authenticate: async (authorization) => {
        const principal = await keys.byHeader(authorization);
        if (principal.role !== 'agent') throw new DoorError('auth.wrong_role');
        return principal;
      },
    },
  };
}
