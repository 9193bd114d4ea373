/** What the ledger keeps of a tool's result: how it ended, the beginning of its output, and a hash of all of it. */
import type { SessionCommand } from '@countersign/approval';
import type { ResultBody } from '@countersign/contracts';
import { sha256hex } from './build-call.js';

export interface CallResult {
  readonly callId: string;
  readonly tool: string;
  readonly status: ResultBody['status'];
  /** The output as the model may see it; null: none was reported. */
  readonly output: string | null;
  readonly error: string | null;
  readonly elapsedMs: number | null;
}

/** Characters of an output that the ledger keeps. */
const PREVIEW_LENGTH = 2_000;

/** The command that records a result. */
export function reportResult({ output, ...result }: CallResult): SessionCommand {
  const outputHash = output === null ? null : sha256hex(output);
  return { type: 'ReportResult', ...result, preview: (output ?? '').slice(0, PREVIEW_LENGTH), outputHash };
}
