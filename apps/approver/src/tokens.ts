/** Injection tokens of what the approver is started with. */
export const LEDGER = Symbol('ledger');
export const BUS = Symbol('bus');
export const COOKIES = Symbol('cookies');
export const COOKIE_SECRET = Symbol('cookie secret');
export const AUTHENTICATOR = Symbol('authenticator');
export const PAGE_FILES = Symbol('page files');
