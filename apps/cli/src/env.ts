/** The environment of the command line, parsed once. Nothing else in this room reads `process.env`. */
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';

const port = z.coerce.number().int().min(0).max(65_535);
const url = z.string().min(1);
const postgresUrl = url.refine(isPostgresUrl, 'must be a URL such as postgresql://user:password@host:5432/database');

function isPostgresUrl(text: string): boolean {
  return URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol);
}

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
  COUNTERSIGN_PG_PORT: port.optional(),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_OWNER_URL: postgresUrl.optional(),
  REDIS_URL: url.optional(),
  COUNTERSIGN_SEAL_KEY: z.string().min(1).optional(),
  COUNTERSIGN_COOKIE_SECRET: z.string().min(32).optional(),
  COUNTERSIGN_URL: z.url().optional(),
  COUNTERSIGN_TOKEN: z.string().min(1).optional(),
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
  /** Port of the embedded database; null: any free one. */
  readonly postgresPort: number | null;
  readonly databaseUrl: string | null;
  readonly ownerUrl: string | null;
  readonly redisUrl: string | null;
  readonly sealKey: string | null;
  readonly cookieSecret: string | null;
  readonly serviceUrl: string | null;
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

/** As root the data belongs to the machine, otherwise to the user. */
function defaultHome(): string {
  return userInfo().uid === 0 ? '/var/lib/countersign' : join(homedir(), '.countersign');
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
      postgresPort: orNull(env.COUNTERSIGN_PG_PORT),
      databaseUrl: orNull(env.DATABASE_URL),
      ownerUrl: orNull(env.DATABASE_OWNER_URL),
      redisUrl: orNull(env.REDIS_URL),
      sealKey: orNull(env.COUNTERSIGN_SEAL_KEY),
      cookieSecret: orNull(env.COUNTERSIGN_COOKIE_SECRET),
      serviceUrl: orNull(env.COUNTERSIGN_URL),
      token: orNull(env.COUNTERSIGN_TOKEN),
      logLevel: env.LOG_LEVEL,
      startedByNpm: env.npm_lifecycle_event !== undefined,
    },
  };
}
