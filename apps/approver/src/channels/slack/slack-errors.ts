/** Slack's answers to a call that failed, as: try again, try again later, or never. */
import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';
import { SendFailed } from '../channel.js';

/** Errors that no later attempt mends: the setting has to be changed, or the message is gone. */
const FINAL = new Set([
  'account_inactive',
  'cannot_reply_to_message',
  'cant_update_message',
  'channel_not_found',
  'invalid_auth',
  'invalid_blocks',
  'invalid_blocks_format',
  'invalid_thread_ts',
  'is_archived',
  'message_not_found',
  'missing_scope',
  'msg_too_long',
  'no_permission',
  'not_authed',
  'not_in_channel',
  'thread_not_found',
  'token_expired',
  'token_revoked',
]);

/** Never holds more than Slack's own code: messages of the client could hold what was sent. */
export function sendFailure(error: unknown): SendFailed {
  if (error instanceof WebAPIPlatformError) {
    const code = error.data.error;
    return new SendFailed(`Slack says ${code}`, { final: FINAL.has(code) });
  }
  if (error instanceof WebAPIRateLimitedError) {
    return new SendFailed('Slack says ratelimited', { retryAfterMs: error.retryAfter * 1_000 });
  }
  if (error instanceof WebAPIHTTPError) return new SendFailed(`Slack answers ${error.statusCode}`);
  if (error instanceof WebAPIRequestError) return new SendFailed('Slack does not answer');
  return new SendFailed('the message could not be sent');
}
