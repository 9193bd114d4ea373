/** The approver's Nest module: one controller per door, one gateway, and what they are given. */
import { Module, type DynamicModule } from '@nestjs/common';
import type { Meter } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import type { Bus } from '@countersign/queue';
import type { Authenticator, CookieSessions, VaultKeys } from '@countersign/server';
import { AgentAuditLogController } from './agent-audit-log/agent-audit-log.controller.js';
import { AsksController } from './asks/asks.controller.js';
import { ChannelsController } from './channels/channels.controller.js';
import { ChannelsService } from './channels/channels.service.js';
import { EmailController } from './channels/email/email.controller.js';
import type { OpenChannels } from './channels/open-channels.js';
import { SlackController } from './channels/slack/slack.controller.js';
import { WebhookController } from './channels/webhook/webhook.controller.js';
import { EventsController } from './events/events.controller.js';
import { GrantsController } from './grants/grants.controller.js';
import { KillSwitchesController } from './kill-switches/kill-switches.controller.js';
import { ApprovalsGateway } from './live/approvals.gateway.js';
import { OriginalsController } from './originals/originals.controller.js';
import { PageController } from './page/page.controller.js';
import { readPageFiles } from './page/page-files.js';
import { IdentitiesController } from './people/identities.controller.js';
import { KeysController } from './people/keys.controller.js';
import { PeopleController } from './people/people.controller.js';
import { PoliciesController } from './policies/policies.controller.js';
import { PolicyLabController } from './policy-lab/policy-lab.controller.js';
import { QueuesController, type OpenBoard } from './queues/queues.controller.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import {
  AUTHENTICATOR,
  BUS,
  COOKIE_SECRET,
  COOKIES,
  LEDGER,
  METER,
  PAGE_FILES,
  QUEUE_BOARD,
  CHANNELS,
  EMAIL_DESK,
  SLACK_WORKSPACES,
  WEBHOOK_DESK,
  VAULT_KEYS,
} from './tokens.js';

/** Everything that is made outside of Nest. */
export interface ApproverParts {
  readonly ledger: Ledger;
  readonly bus: Bus;
  readonly authenticator: Authenticator;
  readonly cookies: CookieSessions;
  readonly cookieSecret: string;
  readonly vaultKeys: VaultKeys;
  readonly channels: OpenChannels;
  readonly openBoard: OpenBoard;
  readonly meter: Meter;
}

@Module({})
export class ApproverModule {
  static of(parts: ApproverParts): DynamicModule {
    return {
      module: ApproverModule,
      controllers: [
        AsksController,
        ChannelsController,
        SessionsController,
        EventsController,
        PeopleController,
        IdentitiesController,
        KeysController,
        PoliciesController,
        GrantsController,
        PolicyLabController,
        OriginalsController,
        SignInController,
        PageController,
        SlackController,
        WebhookController,
        EmailController,
        KillSwitchesController,
        AgentAuditLogController,
        QueuesController,
      ],
      providers: [
        ApprovalsGateway,
        ChannelsService,
        { provide: LEDGER, useValue: parts.ledger },
        { provide: VAULT_KEYS, useValue: parts.vaultKeys },
        { provide: BUS, useValue: parts.bus },
        { provide: AUTHENTICATOR, useValue: parts.authenticator },
        { provide: COOKIES, useValue: parts.cookies },
        { provide: COOKIE_SECRET, useValue: parts.cookieSecret },
        { provide: CHANNELS, useValue: parts.channels },
        { provide: SLACK_WORKSPACES, useValue: parts.channels.slackDoors },
        { provide: WEBHOOK_DESK, useValue: parts.channels.webhookDesk },
        { provide: EMAIL_DESK, useValue: parts.channels.emailDesk },
        { provide: METER, useValue: parts.meter },
        { provide: QUEUE_BOARD, useValue: parts.openBoard },
        { provide: PAGE_FILES, useValue: readPageFiles() },
      ],
    };
  }
}
