/** `countersign audit verify`: recomputes every chain of the log and says where one is broken. */
import type { Writable } from 'node:stream';
import { z } from 'zod';
import type { CliEnv } from '../env.js';
import { readEndpoints } from '../home/endpoints.js';
import { homeLayout } from '../home/layout.js';
import { exchange, type Exchange, type Question } from '../http/exchange.js';
import { createProgress, type Progress } from './progress.js';

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
const TICK_MS = 1_000;
/** Characters of an unexpected answer that are shown. */
const MOST_SHOWN = 300;

/** Checks the log, prints the report, and gives the exit code: 0 unbroken, 1 broken, 2 could not be checked. */
export async function verifyLog(env: CliEnv, options: VerifyOptions): Promise<number> {
  const progress = createProgress(options.complaints, !options.json);
  const outcome =
    env.databaseUrl === null ? await askService(env, progress) : await readDatabase(env.databaseUrl, progress);
  progress.end();
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

async function askService(env: CliEnv, progress: Progress): Promise<VerifyOutcome> {
  const endpoints = await readEndpoints(homeLayout(env.home).endpoints);
  if (endpoints === null)
    return { ok: false, reason: `no service is known in ${env.home}: set DATABASE_URL or COUNTERSIGN_HOME` };
  const { console: url, auditorKey: token } = endpoints;
  const answer = await waitFor({ method: 'GET', url: `${url}/v1/verify`, token }, progress);
  if (answer.kind !== 'answer') return { ok: false, reason: answer.reason };
  if (answer.status !== 200) {
    return { ok: false, reason: `the service answered HTTP ${answer.status}: ${oneLine(answer.text)}` };
  }
  const report = readReport(answer.text);
  return report === null
    ? { ok: false, reason: `${url} sent no report: ${oneLine(answer.text)}` }
    : { ok: true, report };
}

/** However long the log is: the service answers when it has read it to its end. */
async function waitFor(question: Question, progress: Progress): Promise<Exchange> {
  const begun = performance.now();
  const timer = setInterval(() => {
    progress.show(`the service is checking the log, ${Math.round((performance.now() - begun) / 1_000)} s …`);
  }, TICK_MS);
  return exchange(question).finally(() => clearInterval(timer));
}

function readReport(text: string): VerifyReport | null {
  try {
    return reportSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, MOST_SHOWN);
}

async function readDatabase(databaseUrl: string, progress: Progress): Promise<VerifyOutcome> {
  const { createLedger } = await import('@countersign/ledger');
  const ledger = createLedger({ databaseUrl });
  try {
    const report = await ledger.verify(undefined, ({ events }) => progress.show(`${events} events checked …`));
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
