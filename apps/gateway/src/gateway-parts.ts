/** What a gateway is made of, put together once. */
import { Logger } from '@nestjs/common';
import { DoorError } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import type { Bus, Queue, Seal } from '@countersign/queue';
import type { Authenticator } from '@countersign/server';
import { CallDesk } from './calls/call-desk.js';
import type { GatewayConfig } from './config.js';
import type { HookDeps } from './hooks/answer-hook.js';
import { createPolicyModes } from './sessions/policy-modes.js';
import { SessionDesk } from './sessions/session-desk.js';
import { SessionService } from './sessions/session-service.js';
import { ToolCallService } from './tool-calls/tool-call-service.js';

export interface GatewayDeps {
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly bus: Bus;
  readonly seal: Seal;
  readonly config: GatewayConfig;
}

export interface GatewayParts {
  readonly desk: CallDesk;
  readonly toolCalls: ToolCallService;
  readonly sessions: SessionService;
  readonly hooks: HookDeps;
}

export function createGatewayParts(
  { ledger, queue, bus, seal, config }: GatewayDeps,
  keys: Authenticator,
): GatewayParts {
  const log = new Logger('gateway');
  const onError = (error: unknown): void =>
    log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const policyModes = createPolicyModes(ledger.policies, Date.now);
  const sessions = new SessionDesk({ ledger, bus, policyModes });
  const limits = { maxWaiters: config.maxWaiters, maxChars: config.maxWaitingChars };
  const desk = new CallDesk({ queue, bus, seal, ledger, limits, judgeMs: config.judgeMs, onError });
  const { calls } = ledger;
  return {
    desk,
    toolCalls: new ToolCallService({ desk, sessions, calls, policyModes }),
    sessions: new SessionService(sessions, policyModes),
    hooks: {
      desk,
      sessions,
      calls,
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
