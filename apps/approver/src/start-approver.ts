/** Starts the people's door over a ledger and a bus. */
import 'reflect-metadata';
import { NO_METER, type Meter, type Tracing } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import type { Bus, Queue } from '@countersign/queue';
import {
  authenticate,
  createCookieSessions,
  createHostCheck,
  createLogger,
  createServerApp,
  type Logger,
  vaultKeysOrNew,
  redactingLedger,
  SocketAdapter,
  type MetricsDoor,
  type VaultKeys,
} from '@countersign/server';
import { ApproverModule } from './approver.module.js';
import type { AnswerDeps } from './asks/answer-ask.js';
import { openChannels, type OpenChannels } from './channels/open-channels.js';
import { channelSettingsSchema } from './channels/settings.js';
import { EMAIL_ROUTE } from './channels/email/email-channel.js';
import { SLACK_ROUTE } from './channels/slack/slack.controller.js';
import { WEBHOOK_ROUTE } from './channels/webhook/webhook-channel.js';
import type { ApproverConfig } from './config.js';
import { BOARD_PATH } from './queues/queues.controller.js';

export interface ApproverDeps {
  readonly ledger: Ledger;
  readonly bus: Bus;
  /** Shown to admins at `/admin/queues`; absent: nothing is. */
  readonly queue?: Pick<Queue, 'board'>;
  readonly config: ApproverConfig;
  /** Absent, as in tests: keys that end with the process, so that no original can be read later. */
  readonly vaultKeys?: VaultKeys;
  /** One of its own unless given. */
  readonly logger?: Logger;
  readonly meter?: Meter;
  readonly metrics?: MetricsDoor;
  readonly tracing?: Tracing;
  /** How long readiness is red before connections are refused; 0 unless given. */
  readonly leaveMs?: number;
}

export interface RunningApprover {
  /** Base URL of the page and of the API. */
  readonly url: string;
  /** Ends sockets and requests; ledger and bus stay open, they belong to the caller. */
  close(): Promise<void>;
}

/** Read by their controllers themselves: signatures are over bytes, forms are no JSON. */
const CHANNEL_ROUTES = [SLACK_ROUTE, WEBHOOK_ROUTE, EMAIL_ROUTE];
/** Approvers say little over the line. */
const MAX_MESSAGE_BYTES = 16 * 1024;
const PAGE_ROUTES = ['/', '/sign-in', '/page/:file'];
/** A new key's secret is in one answer and nowhere else, so that answer is not kept for repetitions. */
const SECRET_ROUTES = ['/v1/keys', '/v1/people/:id/keys'];

export async function startApprover(deps: ApproverDeps): Promise<RunningApprover> {
  const { bus, queue, config, logger, metrics, tracing, leaveMs = 0 } = deps;
  const vaultKeys = vaultKeysOrNew(deps.vaultKeys);
  const ledger = redactingLedger(deps.ledger, vaultKeys);
  const { host, port, cookieSecret, allowedHosts = [], secureCookies = false, logLevel = 'info' } = config;
  const authenticator = authenticate(ledger);
  const cookies = createCookieSessions(cookieSecret, { secure: secureCookies });
  const isOurs = createHostCheck({ host, allowedHosts });
  const log = logger ?? createLogger({ name: 'approver', level: logLevel });
  const channels = channelsOf(config, { ledger, bus, vaultKeys }, log);
  const { url, close } = await createServerApp(
    ApproverModule.of({
      ...{ ledger, bus, authenticator, cookies, cookieSecret, channels, vaultKeys },
      meter: deps.meter ?? NO_METER,
      openBoard: queue ? () => queue.board(BOARD_PATH) : null,
    }),
    {
      app: 'approver',
      host,
      port,
      allowedHosts,
      logger: log,
      authenticator,
      cookies,
      idempotency: ledger.idempotency,
      probes: { ledger: () => ledger.ping(), bus: () => bus.ping() },
      openRoutes: PAGE_ROUTES,
      rawRoutes: CHANNEL_ROUTES,
      selfKeyedRoutes: [...SECRET_ROUTES, ...CHANNEL_ROUTES],
      ...(metrics ? { metrics } : {}),
      ...(tracing ? { tracing } : {}),
      leaveMs,
      configure: (app) => {
        app.useWebSocketAdapter(new SocketAdapter(app, { isOurs, maxMessageBytes: MAX_MESSAGE_BYTES }));
      },
    },
  );
  return { url, close };
}

function channelsOf(
  { channels, consoleUrl, cookieSecret }: ApproverConfig,
  answering: AnswerDeps,
  log: Logger,
): OpenChannels {
  return openChannels(channelSettingsSchema.parse(channels ?? {}), {
    ...answering,
    consoleUrl: consoleUrl?.replace(/\/+$/, '') ?? null,
    linkSecret: cookieSecret,
    onError: (what, error) => log.warn(`${what}: ${error instanceof Error ? error.message : 'failed'}`),
  });
}
