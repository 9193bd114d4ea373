/** The environment of the command line, parsed once. Nothing else in this room reads `process.env`. */
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
// A type alone: the hook reads its settings without loading a database driver.
import type { Retention } from '@countersign/ledger';
import { z } from 'zod';

const port = z.coerce.number().int().min(0).max(65_535);
const url = z.string().min(1);
const postgresUrl = url.refine(isPostgresUrl, 'must be a URL such as postgresql://user:password@host:5432/database');

function isPostgresUrl(text: string): boolean {
  return URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol);
}

function isPermitSeed(text: string): boolean {
  return /^[A-Za-z0-9+/]{43}=$/.test(text);
}

/** After so many days something may go. */
const keepDays = z.coerce.number().int().min(1).max(36_500);

const envSchema = z.object({
  COUNTERSIGN_HOME: z.string().refine(isAbsolute, 'must be an absolute path').optional(),
  HOST: z.string().min(1).default('127.0.0.1'),
  /** Further names that people and agents reach us by, separated by commas. */
  ALLOWED_HOSTS: z
    .string()
    .transform((list) => list.split(',').map((name) => name.trim()))
    .default([]),
  GATEWAY_PORT: port.default(4610),
  APPROVER_PORT: port.default(4611),
  WORKER_PORT: port.optional(),
  COUNTERSIGN_PG_PORT: port.optional(),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_OWNER_URL: postgresUrl.optional(),
  REDIS_URL: url.optional(),
  KEEP_EVENT_MONTHS: z.coerce.number().int().min(1).max(1_200).optional(),
  KEEP_CALL_DAYS: keepDays.optional(),
  KEEP_ASK_DAYS: keepDays.optional(),
  KEEP_ORIGINAL_DAYS: keepDays.optional(),
  COUNTERSIGN_SEAL_KEY: z.string().min(1).optional(),
  COUNTERSIGN_VAULT_KEYS: z.string().min(1).optional(),
  COUNTERSIGN_COOKIE_SECRET: z.string().min(32).optional(),
  /** Seeds of permit keys, separated by commas: the first signs, all verify. */
  COUNTERSIGN_PERMIT_KEYS: z
    .string()
    .transform((list) => list.split(',').map((seed) => seed.trim()))
    .refine((seeds) => seeds.every(isPermitSeed), 'must be base64 of 32 bytes each, separated by commas')
    .optional(),
  COUNTERSIGN_HOOKS: z.string().refine(isAbsolute, 'must be an absolute path').optional(),
  COUNTERSIGN_URL: z.url().optional(),
  COUNTERSIGN_CONSOLE_URL: z.url({ protocol: /^https?$/ }).optional(),
  COUNTERSIGN_TOKEN: z.string().min(1).optional(),
  COUNTERSIGN_CHANNELS_FILE: z.string().refine(isAbsolute, 'must be an absolute path').optional(),
  METRICS_TOKEN: z.string().min(16).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional(),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  LEAVE_SECONDS: z.coerce.number().min(0).max(15).default(0),
  /** Set by npm in the scripts that it runs. */
  npm_lifecycle_event: z.string().optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

/** Every variable that is read. */
export const ENVIRONMENT_NAMES: readonly string[] = Object.keys(envSchema.shape);

/** Settings as the environment gives them, defaults filled in. `home` is absolute; `homeGiven`: it was named, not defaulted. */
export interface CliEnv {
  readonly home: string;
  readonly homeGiven: boolean;
  readonly host: string;
  readonly allowedHosts: readonly string[];
  readonly gatewayPort: number;
  readonly approverPort: number;
  /** Port of a worker's health and metrics; null: 4612, or any free one when that is taken. */
  readonly workerPort: number | null;
  /** Asked of whoever reads the metrics; null: the loopback, or a key of auditor or admin. */
  readonly metricsToken: string | null;
  readonly traces: {
    /** Base URL of an OTLP/HTTP collector; null: no traces. */
    readonly endpoint: string | null;
    readonly headers: string | null;
    /** Share of new traces that are kept. */
    readonly sample: number;
  };
  /** How long readiness is red before connections are refused. */
  readonly leaveMs: number;
  /** Port of the embedded database; null: any free one. */
  readonly postgresPort: number | null;
  readonly databaseUrl: string | null;
  readonly ownerUrl: string | null;
  readonly redisUrl: string | null;
  /** What is said of how long things are kept; the rest is as the ledger has it. */
  readonly retention: Partial<Retention>;
  readonly sealKey: string | null;
  /** Separated by commas, the one that seals first. */
  readonly vaultKeys: string | null;
  readonly cookieSecret: string | null;
  /** Seeds of permit keys in base64; null: those of the home. */
  readonly permitKeys: readonly string[] | null;
  /** Absolute path of the hook file; null: `hooks.yaml` in the home. */
  readonly hookFile: string | null;
  readonly serviceUrl: string | null;
  /** Base URL of the people's door, for the terminal; null: that of the home. */
  readonly consoleUrl: string | null;
  /** Absolute path of the file that sets channels up; null: `channels.yaml` in the home. */
  readonly channelsFile: string | null;
  readonly token: string | null;
  readonly logLevel: string;
  readonly startedByNpm: boolean;
}

export type CliEnvResult = { ok: true; env: CliEnv } | { ok: false; problems: string[] };

const orNull = <T>(value: T | undefined): T | null => value ?? null;

/** The variables that may hold policy settings, as they are. */
export function policyVariables(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** The variables that `channels.yaml` may name as `env:NAME`, as they are. */
export function channelVariables(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** As root the data belongs to the machine, otherwise to the user. */
function defaultHome(): string {
  return userInfo().uid === 0 ? '/var/lib/countersign' : join(homedir(), '.countersign');
}

function retentionOf(env: z.infer<typeof envSchema>): Partial<Retention> {
  return {
    ...(env.KEEP_EVENT_MONTHS === undefined ? {} : { eventMonths: env.KEEP_EVENT_MONTHS }),
    ...(env.KEEP_CALL_DAYS === undefined ? {} : { callDays: env.KEEP_CALL_DAYS }),
    ...(env.KEEP_ASK_DAYS === undefined ? {} : { askDays: env.KEEP_ASK_DAYS }),
    ...(env.KEEP_ORIGINAL_DAYS === undefined ? {} : { originalDays: env.KEEP_ORIGINAL_DAYS }),
  };
}

/** Reads the settings; an empty variable counts as absent. Every problem is one line that names its variable. */
export function readCliEnv(source: Record<string, string | undefined> = process.env): CliEnvResult {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = envSchema.safeParse(given);
  if (!parsed.success) {
    return { ok: false, problems: parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) };
  }
  const env = parsed.data;
  return {
    ok: true,
    env: {
      home: env.COUNTERSIGN_HOME ?? defaultHome(),
      homeGiven: env.COUNTERSIGN_HOME !== undefined,
      host: env.HOST,
      allowedHosts: env.ALLOWED_HOSTS,
      gatewayPort: env.GATEWAY_PORT,
      approverPort: env.APPROVER_PORT,
      workerPort: orNull(env.WORKER_PORT),
      metricsToken: orNull(env.METRICS_TOKEN),
      traces: {
        endpoint: orNull(env.OTEL_EXPORTER_OTLP_ENDPOINT),
        headers: orNull(env.OTEL_EXPORTER_OTLP_HEADERS),
        sample: env.OTEL_TRACES_SAMPLER_ARG,
      },
      leaveMs: env.LEAVE_SECONDS * 1_000,
      postgresPort: orNull(env.COUNTERSIGN_PG_PORT),
      databaseUrl: orNull(env.DATABASE_URL),
      ownerUrl: orNull(env.DATABASE_OWNER_URL),
      redisUrl: orNull(env.REDIS_URL),
      retention: retentionOf(env),
      sealKey: orNull(env.COUNTERSIGN_SEAL_KEY),
      vaultKeys: orNull(env.COUNTERSIGN_VAULT_KEYS),
      cookieSecret: orNull(env.COUNTERSIGN_COOKIE_SECRET),
      permitKeys: orNull(env.COUNTERSIGN_PERMIT_KEYS),
      hookFile: orNull(env.COUNTERSIGN_HOOKS),
      serviceUrl: orNull(env.COUNTERSIGN_URL),
      consoleUrl: orNull(env.COUNTERSIGN_CONSOLE_URL),
      channelsFile: orNull(env.COUNTERSIGN_CHANNELS_FILE),
      token: orNull(env.COUNTERSIGN_TOKEN),
      logLevel: env.LOG_LEVEL,
      startedByNpm: env.npm_lifecycle_event !== undefined,
    },
  };
}
