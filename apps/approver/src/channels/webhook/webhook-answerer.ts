/** Whose answer it is that came from a webhook. */
import type { ChannelIdentity, ChannelProgram } from '../channel-answers.js';
import type { WebhookCall } from './webhook-answer.js';

/** INVARIANT: whoever names a person that is not linked is refused, and does not become the program. */
export function answererOf(
  { tenantId, name }: { readonly tenantId: string; readonly name: string },
  { user }: Pick<WebhookCall, 'user'>,
): ChannelIdentity | ChannelProgram {
  if (user === undefined) return { tenantId, channel: 'webhook', program: name };
  return { tenantId, channel: 'webhook', provider: 'webhook', externalId: `${name}:${user}` };
}
