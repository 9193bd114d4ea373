/** Judges what was seen of the services behind us: one finding for each check, one clear line for each problem. Pure. */

/** `warn`: goes on, and says so. `bad`: must not start. */
export type Grade = 'ok' | 'warn' | 'bad';

export interface Finding {
  /** What was checked, with what was found. */
  readonly what: string;
  readonly grade: Grade;
  /** What is wrong and what to do; null when nothing is. */
  readonly problem: string | null;
}

/** What the queue's room sees of a Redis. */
export interface SeenRedis {
  readonly version: string;
  readonly neededVersion: string;
  readonly evictionPolicy: string;
  readonly maxMemory: number;
  readonly cluster: boolean;
  readonly clockAheadMs: number;
  readonly role: string;
}

/** What the ledger's room sees of a database. */
export interface SeenDatabase {
  readonly role: string;
  readonly version: number;
  readonly clockAheadMs: number;
  readonly missingMigrations: readonly string[] | null;
  readonly unknownMigrations: readonly string[];
  readonly excessRights: readonly string[];
  readonly mayAppend: boolean;
}

/** Clocks that differ by more are told of; by much more, deadlines and signatures mean nothing. */
const CLOCK_WARN_MS = 1_000;
const CLOCK_BAD_MS = 30_000;
/** The oldest that migrations and `append` were tried on. */
const LEAST_POSTGRES = 15;
const ok = (what: string): Finding => ({ what, grade: 'ok', problem: null });
const bad = (what: string, problem: string): Finding => ({ what, grade: 'bad', problem });
const warn = (what: string, problem: string): Finding => ({ what, grade: 'warn', problem });

/** `prefix`: what all keys of the queue begin with. */
export function judgeRedis(seen: SeenRedis, prefix: string): Finding[] {
  return [
    judgeRedisVersion(seen),
    judgeEviction(seen),
    seen.role === 'slave'
      ? bad('Redis role', 'this Redis is a replica and takes no writes: name the primary in REDIS_URL')
      : ok('Redis role'),
    judgeCluster(seen, prefix),
    judgeClock('Redis', seen.clockAheadMs),
  ];
}

export function judgeDatabase(seen: SeenDatabase): Finding[] {
  // Before the first migration there is nothing that a role could have rights on.
  const rights = seen.missingMigrations === null ? [] : [judgeRights(seen)];
  return [judgePostgresVersion(seen), judgeMigrations(seen), ...rights, judgeClock('Postgres', seen.clockAheadMs)];
}

/** The owner's URL belongs to `npm run migrate` and to the worker's chores; a door that holds it could rewrite the log. */
export function judgeOwnerUrl(app: string, ownerUrlGiven: boolean): Finding {
  const what = 'owner’s URL';
  if (!ownerUrlGiven || app === 'worker') return ok(what);
  return bad(what, `DATABASE_OWNER_URL must not be set for the ${app}: it could change the log`);
}

/** One line for people. */
export function formatFinding({ what, problem }: Finding): string {
  return problem === null ? what : `${what}: ${problem}`;
}

function judgeRedisVersion({ version, neededVersion }: SeenRedis): Finding {
  const what = `Redis ${version}`;
  return isAtLeast(version, neededVersion) ? ok(what) : bad(what, `${neededVersion} or newer is needed`);
}

function judgeEviction({ evictionPolicy, maxMemory }: SeenRedis): Finding {
  const what = `Redis maxmemory-policy ${evictionPolicy}`;
  if (evictionPolicy === 'noeviction') return ok(what);
  const when =
    maxMemory > 0 ? `with maxmemory ${maxMemory} it throws jobs away` : 'once memory is limited it throws jobs away';
  return bad(what, `set maxmemory-policy to noeviction: ${when}`);
}

function judgeCluster({ cluster }: SeenRedis, prefix: string): Finding {
  const what = cluster ? 'Redis Cluster' : 'single Redis';
  if (!cluster || /^\{[^}]+\}/.test(prefix)) return ok(what);
  return bad(
    what,
    `the prefix \`${prefix}\` needs a hash tag, such as {${prefix}}: keys of one queue must share a slot`,
  );
}

function judgePostgresVersion({ version }: SeenDatabase): Finding {
  const major = Math.floor(version / 10_000);
  const what = `Postgres ${major}.${version % 10_000}`;
  return major >= LEAST_POSTGRES ? ok(what) : bad(what, `${LEAST_POSTGRES} or newer is needed`);
}

function judgeMigrations({ missingMigrations, unknownMigrations }: SeenDatabase): Finding {
  const what = 'migrations';
  if (missingMigrations === null) return bad(what, 'none was applied yet: run `npm run migrate`');
  const missing = missingMigrations.join(', ');
  if (missing !== '') return bad(what, `not applied: ${missing}: run \`npm run migrate\``);
  const unknown = unknownMigrations.join(', ');
  return unknown === '' ? ok(what) : warn(what, `a newer program has migrated this database: ${unknown}`);
}

function judgeRights({ role, excessRights, mayAppend }: SeenDatabase): Finding {
  const what = `database role ${role}`;
  if (excessRights.length > 0) {
    const rights = excessRights.join(', ');
    return bad(what, `has too many rights (${rights}): give DATABASE_URL a role that \`npm run migrate\` made`);
  }
  return mayAppend ? ok(what) : bad(what, 'may not call append: run `npm run migrate` for it');
}

function judgeClock(whose: string, aheadMs: number): Finding {
  const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1);
  const what = `clock of ${whose}`;
  const problem = `differs from this host's by ${seconds} s (${aheadMs > 0 ? 'ahead' : 'behind'}): let both follow one time server`;
  if (!(Math.abs(aheadMs) <= CLOCK_BAD_MS)) return bad(what, problem);
  return Math.abs(aheadMs) > CLOCK_WARN_MS ? warn(what, problem) : ok(what);
}

/** False also for what is no version. */
function isAtLeast(version: string, needed: string): boolean {
  const have = version.split('.').map(Number);
  const want = needed.split('.').map(Number);
  for (const [index, least] of want.entries()) {
    const part = have[index] ?? 0;
    if (Number.isNaN(part)) return false;
    if (part !== least) return part > least;
  }
  return true;
}
