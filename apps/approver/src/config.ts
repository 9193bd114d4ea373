/** What an approver is started with, besides its services. */

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
  readonly logLevel?: string;
}
