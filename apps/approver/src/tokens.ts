/** Injection tokens of what the approver is started with. */
export const LEDGER = Symbol('ledger');
export const BUS = Symbol('bus');
export const COOKIES = Symbol('cookies');
export const COOKIE_SECRET = Symbol('cookie secret');
export const AUTHENTICATOR = Symbol('authenticator');
export const METER = Symbol('meter');
/** Opens the queues' board; null: there is none. */
export const QUEUE_BOARD = Symbol('queue board');
export const PAGE_FILES = Symbol('page files');
/** The channels that are set up. */
export const CHANNELS = Symbol('channels');
/** Slack workspaces that send their interactions to our door. */
export const SLACK_WORKSPACES = Symbol('slack workspaces');
/** Takes what webhooks answer later. */
export const WEBHOOK_DESK = Symbol('webhook desk');
/** Takes what is answered behind links in mails. */
export const EMAIL_DESK = Symbol('email desk');
export const VAULT_KEYS = Symbol('vault keys');
