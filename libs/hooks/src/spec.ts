/** The hook file, as people write it (`hooks.yaml`), and the registered hook that it becomes. */
import { HOOK_MOMENTS, hookMomentSchema, type HookMoment } from '@countersign/contracts';
import { z } from 'zod';
import type { HookPlugin } from './plugin.js';

const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be letters, digits, `.`, `_` or `-`');
const patterns = z.array(z.string().min(1).max(256)).min(1).max(200);
/** Standard Webhooks secrets: `whsec_` and base64 of 24 to 64 bytes. */
const secret = z.string().refine(isSecret, 'must be `whsec_` and the base64 of 24 to 64 bytes');

function isSecret(text: string): boolean {
  const [, body] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const bytes = body === undefined ? 0 : Buffer.from(body, 'base64').length;
  return bytes >= 24 && bytes <= 64;
}

const httpSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  secret: secret.optional(),
  /** A file that holds the secret, beside the hook file or absolute. */
  secretFile: z.string().min(1).optional(),
  /** The service's address may be on a private network or this machine, and may be plain HTTP. */
  allowPrivate: z.boolean().default(false),
  on: z.array(hookMomentSchema).min(1).max(HOOK_MOMENTS.length),
});

const common = {
  name,
  /** Tool names with `*`; absent: every tool. Moments without a tool are heard anyway. */
  tools: patterns.optional(),
  /** Names of policies whose sessions the hook hears of; absent: all. */
  policies: patterns.optional(),
  timeoutMs: z.number().int().min(10).max(5_000).default(2_000),
  /** How often an HTTP hook that could not be reached is tried again, within the time of the whole chain. */
  retries: z.number().int().min(0).max(3).default(1),
  /** Calls of this hook at once; sixteen times as many wait for their turn, more count as its failure. */
  maxInFlight: z.number().int().min(1).max(1_000).default(64),
  /** What follows when the hook gives no answer: a person is asked, the call is denied, or nothing. */
  onFailure: z.enum(['ask', 'deny', 'continue']).default('ask'),
  /** Whatever it answers changes nothing; it is only recorded. */
  observe: z.boolean().default(false),
};

export const hookEntrySchema = z.union([
  z.strictObject({
    ...common,
    module: z.string().min(1).max(4_096),
    export: z.string().min(1).max(200).default('default'),
  }),
  z.strictObject({ ...common, http: httpSchema }),
  z.strictObject({ ...common, builtin: z.enum(['metrics']) }),
]);
export type HookEntry = z.infer<typeof hookEntrySchema>;

export const hookFileSchema = z.strictObject({ hooks: z.array(hookEntrySchema).max(100).default([]) });

/** How a hook is run and for what. */
export interface HookTerms {
  readonly name: string;
  readonly tools: readonly string[] | null;
  readonly policies: readonly string[] | null;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly maxInFlight: number;
  readonly onFailure: 'ask' | 'deny' | 'continue';
  readonly observe: boolean;
}

export const HOOK_DEFAULTS: Omit<HookTerms, 'name'> = {
  tools: null,
  policies: null,
  timeoutMs: 2_000,
  retries: 1,
  maxInFlight: 64,
  onFailure: 'ask',
  observe: false,
};

/** Where an HTTP hook is and what signs it. */
export interface HttpTarget {
  readonly url: string;
  readonly secret: string;
  readonly allowPrivate: boolean;
  readonly on: readonly HookMoment[];
}

/** A hook that is ready to run. The order of registration is the order of running. */
export type RegisteredHook = { readonly terms: HookTerms } & (
  { readonly kind: 'plugin'; readonly plugin: HookPlugin } | { readonly kind: 'http'; readonly http: HttpTarget }
);
