/** A tool's result on its way into the record: hooks first, then redacted, then shortened, and the whole kept sealed. */
import { createHash } from 'node:crypto';
import type { ReportResult } from '@countersign/approval';
import type { HookRun, ResultStatus, SessionEvent } from '@countersign/contracts';
import type { HookCall, Hooks } from '@countersign/hooks';
import { appendRecord, type Ledger } from '@countersign/ledger';
import { obligationsOf } from '@countersign/policy';
import { createRedactor, type FoundKind } from '@countersign/redaction';
import type { VaultKeys } from '@countersign/server';
import type { CommandOutcome, SessionDesk } from '../sessions/session-desk.js';
import type { FindSessionPolicy } from '../sessions/session-policies.js';
import { MAX_SEARCHED, redactOutput } from './redact-output.js';
import { headOf, lengthOf, shortened } from './shown-text.js';

/** Kind of the vault's entries that hold whole outputs: a JSON text of `KeptOutput`. */
export const OUTPUT_KIND = 'output';

/** The whole output as it is kept: redacted. `total`: code points of what the tool gave; `text` may hold fewer. */
export interface KeptOutput {
  readonly text: string;
  readonly total: number;
}

/** The call that a result is of. `denied`: it was never to run. `policy`: the name of its session's policy. */
export interface ResultCall {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly parentId: string | null;
  readonly agent: string;
  readonly policy: string;
  readonly cwd: string | null;
  readonly callId: string;
  readonly toolUseId: string;
  readonly tool: string;
  readonly denied: boolean;
}

/** What was reported. `output` null: nothing. */
export interface ReportedResult {
  readonly status: ResultStatus;
  readonly output: string | null;
  readonly error: string | null;
  readonly elapsedMs: number | null;
  readonly background: boolean;
}

/** `output` as the model may see it; null when none was reported. */
export interface RecordedResult {
  readonly recorded: CommandOutcome;
  readonly output: string | null;
  readonly error: string | null;
  readonly outputChars: number;
  readonly shortened: boolean;
}

type DecidedBody = Extract<SessionEvent, { type: 'ToolCallDecided' }>['body'];

export interface ResultsDeps {
  readonly ledger: Pick<Ledger, 'append' | 'events'>;
  readonly sessions: Pick<SessionDesk, 'execute'>;
  readonly policies: FindSessionPolicy;
  readonly vaultKeys: VaultKeys;
  readonly hooks?: Hooks;
}

/** Code points of an output that the ledger shows to auditors; of a background task's, which is handed over later, more. */
const PREVIEW = 200;
const PREVIEW_OF_BACKGROUND = 2_000;

export class Results {
  constructor(private readonly deps: ResultsDeps) {}

  /** Records a result. The same one again changes nothing; a different one is refused by the outcome. */
  async record(call: ResultCall, result: ReportedResult): Promise<RecordedResult> {
    const hooked = await this.runHooks(call, result);
    const limit = await this.limitOf(call);
    const clean = await cleanResult(call, { ...result, output: hooked.output }, { limit, keys: this.deps.vaultKeys });
    const { tenantId, sessionId, callId } = call;
    const vault =
      clean.kept === null
        ? []
        : [this.deps.vaultKeys.seal({ tenantId, callId, kind: OUTPUT_KIND }, JSON.stringify(clean.kept))];
    const recorded = await this.deps.sessions.execute({ tenantId, sessionId }, clean.command, 'agent', vault);
    if (recorded.ok && recorded.events.length > 0) await this.recordRuns(call, hooked.runs);
    const { output, error, outputChars } = clean;
    return { recorded, output, error, outputChars, shortened: clean.kept !== null };
  }

  private async runHooks(call: ResultCall, result: ReportedResult) {
    const { hooks } = this.deps;
    const { policy, tool } = call;
    if (hooks === undefined || !hooks.hear('PostToolUse', { policy, tool })) return { output: result.output, runs: [] };
    const { denied: _denied, ...place } = call;
    const { background: _background, ...told } = result;
    return hooks.after({ ...place, ...told, args: await this.argsOf(call) });
  }

  /** What ran, as it is on record: secrets are replaced. Null: nothing that could be judged. */
  private async argsOf({ tenantId, sessionId, callId }: ResultCall): Promise<HookCall['args']> {
    const [decided] = await this.deps.ledger.events.decisionsOn({ tenantId, streamId: sessionId }, callId);
    if (decided === undefined) return null;
    const { request, decision, finalArgs = request.args } = decided.body as DecidedBody;
    const json = decision.updatedInput ?? (finalArgs.state === 'ok' ? finalArgs.json : 'null');
    return JSON.parse(json) as HookCall['args'];
  }

  /** Every run of a hook is in the record, after the result that it looked at. */
  private async recordRuns({ tenantId, sessionId }: ResultCall, runs: readonly HookRun[]): Promise<void> {
    if (runs.length === 0) return;
    const events = runs.map((body) => ({ type: 'HookRan' as const, version: 1 as const, body }));
    const stored = await appendRecord(this.deps.ledger, { tenantId, streamId: sessionId }, events);
    if (!stored?.ok) throw new Error(`the runs of hooks could not be recorded: ${JSON.stringify(stored)}`);
  }

  private async limitOf({ tenantId, policy, tool }: ResultCall): Promise<number> {
    const { compiled } = await this.deps.policies(tenantId, policy);
    return obligationsOf(compiled, tool, null).maxOutputChars ?? MAX_SEARCHED;
  }
}

interface CleanResult {
  readonly command: ReportResult;
  readonly output: string | null;
  readonly error: string | null;
  readonly outputChars: number;
  readonly kept: KeptOutput | null;
}

/** INVARIANT: nothing leaves here that was not redacted first; what is cut off is cut off after that. */
async function cleanResult(
  call: ResultCall,
  result: ReportedResult,
  { limit, keys }: { limit: number; keys: VaultKeys },
): Promise<CleanResult> {
  const redactor = createRedactor(keys.tag);
  const whole = result.output === null ? null : await redactOutput(result.output, redactor);
  const error = result.error === null ? null : redactor.text(result.error);
  const total = totalOf(result.output, whole);
  const isLong = total > limit || (result.output?.length ?? 0) > MAX_SEARCHED;
  const kept = whole !== null && isLong ? { text: whole, total } : null;
  const output =
    kept === null ? whole : shortened(kept.text, limit, { callId: call.callId, total, kept: lengthOf(kept.text) });
  const outputHash = hashOf(result.output, whole);
  const reportHash = reportHashOf({ ...result, error }, outputHash);
  const facts = { found: redactor.found(), outputHash, reportHash, outputChars: total };
  return {
    command: commandOf(call, { ...result, output: whole, error }, { ...facts, kept: kept !== null }),
    output,
    error,
    outputChars: total,
    kept,
  };
}

/** Code points of what the tool gave: of what was not searched only the number is told. */
function totalOf(output: string | null, whole: string | null): number {
  if (output === null || whole === null) return 0;
  return lengthOf(whole) + lengthOf(output.slice(MAX_SEARCHED));
}

/** Of what is kept, so that no hash tells a short secret; equal outputs have equal ones while the same key tags. */
function hashOf(output: string | null, whole: string | null): string | null {
  if (output === null || whole === null) return null;
  const hash = createHash('sha256').update(whole);
  const rest = output.slice(MAX_SEARCHED);
  return (rest === '' ? hash : hash.update(createHash('sha256').update(rest).digest())).digest('hex');
}

/** Of everything that makes a report a different one; `error` redacted and whole. The time it took is no part of that. */
function reportHashOf({ status, error, background }: ReportedResult, outputHash: string | null): string {
  return createHash('sha256')
    .update(JSON.stringify([status, outputHash, error, background]))
    .digest('hex');
}

interface ResultFacts {
  readonly found: FoundKind[];
  readonly outputHash: string | null;
  readonly reportHash: string;
  readonly outputChars: number;
  readonly kept: boolean;
}

function commandOf({ callId, tool, denied }: ResultCall, result: ReportedResult, facts: ResultFacts): ReportResult {
  const { status, output, error, elapsedMs, background } = result;
  const { found, ...rest } = facts;
  const preview = headOf(output ?? '', background ? PREVIEW_OF_BACKGROUND : PREVIEW);
  return {
    type: 'ReportResult',
    callId,
    tool,
    status,
    elapsedMs,
    preview,
    error,
    background,
    denied,
    redacted: found,
    ...rest,
  };
}
