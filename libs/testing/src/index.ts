/** Real services and builders for tests. */
export { freePort } from '@countersign/ledger';
export { startOwnRedis, startRedis, type OwnRedis, type RedisFixture } from './redis.js';
export { openTestLedger, type TestLedger } from './ledger.js';
export { startPostgres, TEST_APP_ROLE, type TestDatabase, type TestPostgres } from './postgres.js';
export { startTcpProxy, type TcpProxy } from './tcp-proxy.js';
export {
  SLACK_ACK_MS,
  startSlackWorkspace,
  type Press,
  type PressOptions,
  type PressResult,
  type SlackPost,
  type SlackWorkspace,
} from './slack/workspace.js';
export { startMailServer, type MailServer, type MailServerOptions, type ReceivedMail } from './mail/mail-server.js';
export {
  newWebhookSecret,
  startWebhookReceiver,
  type ReceivedWebhook,
  type SignedCallOptions,
  type WebhookReceiver,
  type WebhookReply,
} from './webhook/receiver.js';
