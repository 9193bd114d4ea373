/** The agents' door as a server: what it serves, and how it begins and ends. */
import 'reflect-metadata';
import { Module, type DynamicModule } from '@nestjs/common';
import {
  authenticate,
  createServerApp,
  type Logger,
  type MetricsDoor,
  vaultKeysOrNew,
  type Probe,
  redactingLedger,
  watchKills,
  BODY_LIMIT,
  createHostCheck,
  SocketAdapter,
} from '@countersign/server';
import { createGatewayParts, type GatewayDeps, type GatewayParts } from './gateway-parts.js';
import { AGENT_LINE_DEPS, AgentsGateway } from './live/agents.gateway.js';
import { SessionStreams } from './live/session-streams.js';
import { StreamController } from './live/stream.controller.js';
import { SessionDesk } from './sessions/session-desk.js';
import { PermitService } from './permits/permit-service.js';
import { PermitsController } from './permits/permits.controller.js';
import { HOOK_DEPS, HOOK_ROUTE, HooksController, renderHookFailure } from './hooks/hooks.controller.js';
import { ProgressController } from './sessions/progress.controller.js';
import { ProgressService } from './sessions/progress-service.js';
import { SessionService } from './sessions/session-service.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { BatchService } from './tool-calls/batch-service.js';
import { ToolCallService } from './tool-calls/tool-call-service.js';
import { ToolCallsController } from './tool-calls/tool-calls.controller.js';
import { goneWith } from './waiting/gone.js';

/** A message beyond our own limit for bodies still gets its answer. */
const MAX_MESSAGE_BYTES = BODY_LIMIT + 1024 * 1024;

@Module({})
class GatewayModule {
  static with(parts: GatewayParts): DynamicModule {
    return {
      module: GatewayModule,
      controllers: [
        ToolCallsController,
        SessionsController,
        ProgressController,
        PermitsController,
        StreamController,
        HooksController,
      ],
      providers: [
        { provide: ToolCallService, useValue: parts.toolCalls },
        { provide: BatchService, useValue: parts.batches },
        { provide: SessionService, useValue: parts.sessions },
        { provide: ProgressService, useValue: parts.progress },
        AgentsGateway,
        { provide: AGENT_LINE_DEPS, useValue: parts.line },
        { provide: SessionStreams, useValue: parts.streams },
        { provide: SessionDesk, useValue: parts.sessionDesk },
        { provide: PermitService, useValue: parts.permits },
        { provide: HOOK_DEPS, useValue: parts.hooks },
      ],
    };
  }
}

export interface StartGateway extends GatewayDeps {
  readonly logger: Logger;
  readonly metrics?: MetricsDoor;
  /** What readiness asks besides database, queue and bus. */
  readonly probes?: Readonly<Record<string, Probe>>;
  /** How long readiness is red before connections are refused; 0 unless given. */
  readonly leaveMs?: number;
}

export interface RunningGateway {
  /** Base URL with the real port. */
  readonly url: string;
  /** Running requests end first, at most 10 s; what it was given stays open. */
  close(): Promise<void>;
}

/** Resolves when the gateway takes calls. */
export async function startGateway(deps: StartGateway): Promise<RunningGateway> {
  const { queue, config, logger, metrics, tracing, leaveMs = 0 } = deps;
  const vaultKeys = vaultKeysOrNew(deps.vaultKeys);
  const ledger = redactingLedger(deps.ledger, vaultKeys);
  const authenticator = authenticate(ledger);
  const isOurs = createHostCheck({ host: config.host, allowedHosts: config.allowedHosts });
  const kills = await watchKills({
    app: 'gateway',
    ledger,
    bus: deps.bus,
    onError: (error) => logger.warn(messageOf(error)),
  });
  const parts = createGatewayParts({ ...deps, ledger, vaultKeys }, authenticator, kills);
  await parts.desk.open();
  try {
    const server = await createServerApp(GatewayModule.with(parts), {
      app: 'gateway',
      host: config.host,
      port: config.port,
      allowedHosts: config.allowedHosts,
      logger,
      authenticator,
      idempotency: ledger.idempotency,
      probes: { database: () => ledger.ping(), queue: () => queue.ping(), bus: () => deps.bus.ping(), ...deps.probes },
      ...(metrics ? { metrics } : {}),
      ...(tracing ? { tracing } : {}),
      leaveMs,
      onLeave: () => {
        parts.streams.close();
        return parts.desk.leave();
      },
      rawRoutes: [HOOK_ROUTE],
      lenientRoutes: ['/v1/tool-calls', '/v1/tool-calls/batch'],
      // Calls and results are recognised by their own keys; a pending answer must not be repeated from a store.
      selfKeyedRoutes: ['/v1/tool-calls', '/v1/tool-calls/batch', '/v1/tool-calls/:id/result'],
      quickDoor: {
        path: '/v1/tool-calls',
        answer: async ({ body, principal, response, note }) => {
          const outcome = await parts.toolCalls.decide(body, principal, goneWith(response));
          note({ callId: outcome.id });
          return outcome;
        },
      },
      renderFailure: renderHookFailure,
      configure: (app) => {
        app.useWebSocketAdapter(new SocketAdapter(app, { isOurs, maxMessageBytes: MAX_MESSAGE_BYTES }));
      },
    });
    return {
      url: server.url,
      close: async () => {
        await server.close();
        await parts.desk.close();
        await kills.close();
      },
    };
  } catch (error) {
    await parts.desk.close();
    await kills.close();
    throw error;
  }
}

function messageOf(error: unknown): string {
  return `kill switches could not be read: ${error instanceof Error ? error.message : String(error)}`;
}
