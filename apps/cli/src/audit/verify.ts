/** `countersign audit verify`: recomputes every chain of the log and says where one is broken. */
import type { Writable } from 'node:stream';
import { z } from 'zod';
import type { CliEnv } from '../env.js';
import { readEndpoints } from '../home/endpoints.js';
import { homeLayout } from '../home/layout.js';

export const reportSchema = z.object({
  streams: z.number().int(),
  events: z.number().int(),
  problems: z.array(
    z.object({ tenantId: z.string(), streamId: z.string(), seq: z.number().int(), problem: z.string() }),
  ),
});
/** What was checked and what was found; no problems: the log is unbroken. */
export type VerifyReport = z.infer<typeof reportSchema>;

export type VerifyOutcome = { ok: true; report: VerifyReport } | { ok: false; reason: string };

export interface VerifyOptions {
  readonly json: boolean;
  readonly output: Writable;
  readonly complaints: Writable;
}

const UNBROKEN = 0;
const BROKEN = 1;
const NOT_CHECKED = 2;

/** Checks the log, prints the report, and gives the exit code: 0 unbroken, 1 broken, 2 could not be checked. */
export async function verifyLog(env: CliEnv, options: VerifyOptions): Promise<number> {
  const outcome = env.databaseUrl === null ? await askService(env) : await readDatabase(env.databaseUrl, options);
  if (!outcome.ok) {
    options.complaints.write(`audit verify: ${outcome.reason}\n`);
    return NOT_CHECKED;
  }
  options.output.write(options.json ? `${JSON.stringify(outcome.report)}\n` : renderReport(outcome.report));
  return outcome.report.problems.length === 0 ? UNBROKEN : BROKEN;
}

/** The report for people: one line for each problem, and a last line that sums up. */
export function renderReport(report: VerifyReport): string {
  const lines = report.problems.map(({ streamId, seq, problem }) => `${streamId} #${seq}: ${problem}`);
  const sum = `${report.events} events in ${report.streams} streams`;
  lines.push(
    report.problems.length === 0
      ? `${sum}: unbroken`
      : `${sum}: ${report.problems.length} ${report.problems.length === 1 ? 'problem' : 'problems'}`,
  );
  return `${lines.join('\n')}\n`;
}

async function askService(env: CliEnv): Promise<VerifyOutcome> {
  const endpoints = await readEndpoints(homeLayout(env.home).endpoints);
  if (endpoints === null)
    return { ok: false, reason: `no service is known in ${env.home}: set DATABASE_URL or COUNTERSIGN_HOME` };
  try {
    const answer = await fetch(`${endpoints.console}/v1/verify`, {
      headers: { authorization: `Bearer ${endpoints.auditorKey}` },
    });
    const body: unknown = await answer.json();
    if (!answer.ok) return { ok: false, reason: `the service answered HTTP ${answer.status}: ${JSON.stringify(body)}` };
    return { ok: true, report: reportSchema.parse(body) };
  } catch (error) {
    return { ok: false, reason: `${endpoints.console} does not answer: ${reasonOf(error)}` };
  }
}

async function readDatabase(databaseUrl: string, options: VerifyOptions): Promise<VerifyOutcome> {
  const { createLedger } = await import('@countersign/ledger');
  const ledger = createLedger({ databaseUrl });
  try {
    const report = await ledger.verify(undefined, (progress) => {
      if (!options.json) options.complaints.write(`\r${progress.events} events checked …`);
    });
    return { ok: true, report };
  } catch (error) {
    return { ok: false, reason: `the database cannot be read: ${reasonOf(error)}` };
  } finally {
    await ledger.close();
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return cause?.message ?? message ?? String(error);
}
