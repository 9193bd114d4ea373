/** Starts the people's door over a ledger and a bus. */
import 'reflect-metadata';
import type { Ledger } from '@countersign/ledger';
import type { Bus } from '@countersign/queue';
import {
  authenticate,
  createCookieSessions,
  createHostCheck,
  createLogger,
  createServerApp,
  type Logger,
} from '@countersign/server';
import { ApproverModule } from './approver.module.js';
import type { ApproverConfig } from './config.js';
import { SocketAdapter } from './live/socket-adapter.js';

export interface ApproverDeps {
  readonly ledger: Ledger;
  readonly bus: Bus;
  readonly config: ApproverConfig;
  /** One of its own unless given. */
  readonly logger?: Logger;
}

export interface RunningApprover {
  /** Base URL of the page and of the API. */
  readonly url: string;
  /** Ends sockets and requests; ledger and bus stay open, they belong to the caller. */
  close(): Promise<void>;
}

const PAGE_ROUTES = ['/', '/sign-in', '/page/:file'];
/** A new key's secret is in one answer and nowhere else, so that answer is not kept for repetitions. */
const SECRET_ROUTES = ['/v1/keys', '/v1/people/:id/keys'];

export async function startApprover({ ledger, bus, config, logger }: ApproverDeps): Promise<RunningApprover> {
  const { host, port, cookieSecret, allowedHosts = [], secureCookies = false, logLevel = 'info' } = config;
  const authenticator = authenticate(ledger);
  const cookies = createCookieSessions(cookieSecret, { secure: secureCookies });
  const isOurs = createHostCheck({ host, allowedHosts });
  const { url, close } = await createServerApp(
    ApproverModule.of({ ledger, bus, authenticator, cookies, cookieSecret }),
    {
      app: 'approver',
      host,
      port,
      allowedHosts,
      logger: logger ?? createLogger({ name: 'approver', level: logLevel }),
      authenticator,
      cookies,
      idempotency: ledger.idempotency,
      probes: { ledger: () => ledger.ping(), bus: () => bus.ping() },
      openRoutes: PAGE_ROUTES,
      selfKeyedRoutes: SECRET_ROUTES,
      configure: (app) => {
        app.useWebSocketAdapter(new SocketAdapter(app, isOurs));
      },
    },
  );
  return { url, close };
}
