/** The agents' door as a server: what it serves, and how it begins and ends. */
import 'reflect-metadata';
import { Module, type DynamicModule } from '@nestjs/common';
import { authenticate, createServerApp, type Logger } from '@countersign/server';
import { createGatewayParts, type GatewayDeps, type GatewayParts } from './gateway-parts.js';
import { HOOK_DEPS, HOOK_ROUTE, HooksController, renderHookFailure } from './hooks/hooks.controller.js';
import { SessionService } from './sessions/session-service.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { ToolCallService } from './tool-calls/tool-call-service.js';
import { ToolCallsController } from './tool-calls/tool-calls.controller.js';

@Module({})
class GatewayModule {
  static with(parts: GatewayParts): DynamicModule {
    return {
      module: GatewayModule,
      controllers: [ToolCallsController, SessionsController, HooksController],
      providers: [
        { provide: ToolCallService, useValue: parts.toolCalls },
        { provide: SessionService, useValue: parts.sessions },
        { provide: HOOK_DEPS, useValue: parts.hooks },
      ],
    };
  }
}

export interface StartGateway extends GatewayDeps {
  readonly logger: Logger;
}

export interface RunningGateway {
  /** Base URL with the real port. */
  readonly url: string;
  /** Running requests end first, at most 10 s; what it was given stays open. */
  close(): Promise<void>;
}

/** Resolves when the gateway takes calls. */
export async function startGateway(deps: StartGateway): Promise<RunningGateway> {
  const { ledger, queue, config, logger } = deps;
  const authenticator = authenticate(ledger);
  const parts = createGatewayParts(deps, authenticator);
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
      probes: { database: () => ledger.ping(), queue: () => queue.ping(), bus: () => deps.bus.ping() },
      rawRoutes: [HOOK_ROUTE],
      lenientRoutes: ['/v1/tool-calls'],
      // Calls and results are recognised by their own keys; a pending answer must not be repeated from a store.
      selfKeyedRoutes: ['/v1/tool-calls', '/v1/tool-calls/:id/result'],
      renderFailure: renderHookFailure,
    });
    return {
      url: server.url,
      close: async () => {
        parts.desk.release();
        await server.close();
        await parts.desk.close();
      },
    };
  } catch (error) {
    await parts.desk.close();
    throw error;
  }
}
