/** Looks at database and Redis before anything is started, and says in one line each what is not as it must be. */
import { inspectDatabase } from '@countersign/ledger';
import { DEFAULT_PREFIX, inspectRedis } from '@countersign/queue';
import { formatFinding, judgeDatabase, judgeRedis, type Finding } from '@countersign/server';
import { explainDatabase, explainQueue } from './explain.js';
import { PartMissing } from './part-missing.js';

/** URLs of what is to be looked at; null: there is none. `databaseUrl` is the application role's. */
export interface ServiceUrls {
  readonly databaseUrl: string | null;
  readonly redisUrl: string | null;
}

/** Every check with its finding; a service that cannot be reached is one bad finding. */
export async function inspectServices({ databaseUrl, redisUrl }: ServiceUrls): Promise<Finding[]> {
  const [database, redis] = await Promise.all([
    databaseUrl === null
      ? []
      : findingsOf('database', explainDatabase, async () => judgeDatabase(await inspectDatabase(databaseUrl))),
    redisUrl === null
      ? []
      : findingsOf('queue', explainQueue, async () => judgeRedis(await inspectRedis(redisUrl), DEFAULT_PREFIX)),
  ]);
  return [...database, ...redis];
}

/** Throws PartMissing with one line for each bad finding, the `more` ones included; `say` gets the warnings. */
export async function checkServices(
  urls: ServiceUrls,
  say: (line: string) => void,
  more: readonly Finding[] = [],
): Promise<void> {
  const findings = [...more, ...(await inspectServices(urls))];
  const lines = (grade: Finding['grade']) => findings.filter((finding) => finding.grade === grade).map(formatFinding);
  lines('warn').forEach(say);
  const bad = lines('bad');
  if (bad.length > 0) throw new PartMissing(bad.join('\n'));
}

async function findingsOf(
  part: 'database' | 'queue',
  explain: (error: unknown) => string,
  look: () => Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    const findings = await look();
    return findings.map((finding) =>
      finding.grade === 'bad' ? { ...finding, what: `the ${part} cannot be used: ${finding.what}` } : finding,
    );
  } catch (error) {
    const line = explain(error);
    return [{ what: `the ${part} cannot be used`, grade: 'bad', problem: line }];
  }
}
