/** What an approver is started with, besides its services. */
import type { ChannelSettingsInput } from './channels/settings.js';

/** `port` 0 takes any free port. */
export interface ApproverConfig {
  readonly host: string;
  readonly port: number;
  /** Signs cookies and sign-in codes; the same on every approver; at least 32 characters. */
  readonly cookieSecret: string;
  /** Host names, besides loopback and `host`, that people reach the page by. */
  readonly allowedHosts?: readonly string[];
  /** The page is served over HTTPS: cookies travel over nothing else. */
  readonly secureCookies?: boolean;
  /** Slack and the like; none unless given. */
  readonly channels?: ChannelSettingsInput;
  /** What people reach the page by, for links on cards; none unless given. */
  readonly consoleUrl?: string;
  readonly logLevel?: string;
}
