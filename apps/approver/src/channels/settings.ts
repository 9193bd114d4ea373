/** What channels are set up with. Secrets stay in these objects: they reach no log, no event and no card. */
import { z } from 'zod';

const secret = z.string().min(8).max(500);
const url = z.url({ protocol: /^https?$/ });
const tenantId = z.string().min(1).max(256).default('default');

export const slackSettingsSchema = z.strictObject({
  tenantId,
  /** `xoxb-…`: posts and rewrites cards. */
  botToken: secret,
  /** Checks what comes to `/channels/slack/interactions`; null when only Socket Mode is used. */
  signingSecret: secret.nullable().default(null),
  /** `xapp-…`: opens Socket Mode, for those without a public address; null: HTTP. */
  appToken: secret.nullable().default(null),
  /** Id of the channel that cards go to. */
  channel: z.string().min(1).max(64),
  /** Slack's own unless given. */
  apiUrl: url.nullable().default(null),
});
export type SlackSettings = z.infer<typeof slackSettingsSchema>;

/** 24 to 64 bytes in base64, as Standard Webhooks has them. */
const webhookSecret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, 'must be `whsec_` and 24 to 64 bytes in base64');

export const webhookSettingsSchema = z
  .strictObject({
    tenantId,
    /** What routes (`webhook:NAME`), approvers (`program:NAME`) and the log call it. */
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'must be 1 to 64 of a-z, 0-9, `_` and `-`, a letter or digit first'),
    url,
    /** Each one signs what goes out and may have signed what comes in: two of them while they are changed. */
    secrets: z.array(webhookSecret).min(1).max(5),
    /** The address may be on a private network, and may be plain HTTP. */
    allowPrivate: z.boolean().default(false),
    /** Another number than before has it written to again after it said that it is gone; so has another `url`. */
    revision: z.number().int().min(1).max(1_000_000).default(1),
  })
  .refine(({ url: to, allowPrivate }) => allowPrivate || to.startsWith('https:'), {
    path: ['url'],
    message: 'must begin with https:// unless `allowPrivate` is true',
  });
export type WebhookSettings = z.infer<typeof webhookSettingsSchema>;

/** One mailbox, in lower case, as identities have it. */
const address = z
  .email()
  .max(254)
  .transform((text) => text.toLowerCase());

export const emailSettingsSchema = z.strictObject({
  tenantId,
  host: z.string().min(1).max(253),
  port: z.number().int().min(1).max(65_535).default(587),
  /** `starttls` refuses a server without it; `none` is for a relay on this machine. */
  tls: z.enum(['implicit', 'starttls', 'none']).default('starttls'),
  user: z.string().min(1).max(500).nullable().default(null),
  password: z.string().min(1).max(500).nullable().default(null),
  from: address,
  /** Who is written to when a route names no address. */
  to: z.array(address).min(1).max(50),
});
export type EmailSettings = z.infer<typeof emailSettingsSchema>;

export const channelSettingsSchema = z
  .strictObject({
    /** One workspace per tenant. */
    slack: z.array(slackSettingsSchema).max(100).default([]),
    /** Several per tenant, each with a name of its own. */
    webhook: z.array(webhookSettingsSchema).max(100).default([]),
    /** One sender per tenant. */
    email: z.array(emailSettingsSchema).max(100).default([]),
  })
  .superRefine(({ slack, webhook, email }, context) => {
    const complain = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (hasDoubles(slack.map((one) => one.tenantId))) complain('slack', 'has two workspaces for one tenant');
    if (hasDoubles(email.map((one) => one.tenantId))) complain('email', 'has two senders for one tenant');
    if (hasDoubles(webhook.map((one) => `${one.tenantId} ${one.name}`))) complain('webhook', 'has a name twice');
    // By its secret a webhook is told from the others.
    if (hasDoubles(webhook.flatMap((one) => one.secrets))) complain('webhook', 'has a secret twice');
  });
/** With every default filled in. */
export type ChannelSettings = z.infer<typeof channelSettingsSchema>;
/** As written. */
export type ChannelSettingsInput = z.input<typeof channelSettingsSchema>;

function hasDoubles(values: readonly string[]): boolean {
  return new Set(values).size < values.length;
}
