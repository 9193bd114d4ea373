/** The approver's Nest module: one controller per door, one gateway, and what they are given. */
import { Module, type DynamicModule } from '@nestjs/common';
import type { Ledger } from '@countersign/ledger';
import type { Bus } from '@countersign/queue';
import type { Authenticator, CookieSessions } from '@countersign/server';
import { AsksController } from './asks/asks.controller.js';
import { EventsController } from './events/events.controller.js';
import { ApprovalsGateway } from './live/approvals.gateway.js';
import { PageController } from './page/page.controller.js';
import { readPageFiles } from './page/page-files.js';
import { KeysController } from './people/keys.controller.js';
import { PeopleController } from './people/people.controller.js';
import { PoliciesController } from './policies/policies.controller.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { AUTHENTICATOR, BUS, COOKIE_SECRET, COOKIES, LEDGER, PAGE_FILES } from './tokens.js';

/** Everything that is made outside of Nest. */
export interface ApproverParts {
  readonly ledger: Ledger;
  readonly bus: Bus;
  readonly authenticator: Authenticator;
  readonly cookies: CookieSessions;
  readonly cookieSecret: string;
}

@Module({})
export class ApproverModule {
  static of(parts: ApproverParts): DynamicModule {
    return {
      module: ApproverModule,
      controllers: [
        AsksController,
        SessionsController,
        EventsController,
        PeopleController,
        KeysController,
        PoliciesController,
        SignInController,
        PageController,
      ],
      providers: [
        ApprovalsGateway,
        { provide: LEDGER, useValue: parts.ledger },
        { provide: BUS, useValue: parts.bus },
        { provide: AUTHENTICATOR, useValue: parts.authenticator },
        { provide: COOKIES, useValue: parts.cookies },
        { provide: COOKIE_SECRET, useValue: parts.cookieSecret },
        { provide: PAGE_FILES, useValue: readPageFiles() },
      ],
    };
  }
}
