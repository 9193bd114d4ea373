/** What the agent reports of a call that it ran. */
import type { Answer } from '../system/doors.js';
import type { Observed } from './compare.js';
import { auditRows, hookNames } from './look-ups.js';
import type { Sequence } from './sequence.js';
import type { ReportWish } from './sequence-row.js';

const STATUSES = { ok: 'succeeded', error: 'failed', cancelled: 'cancelled' } as const;

export async function reportCall(sequence: Sequence, wish: ReportWish): Promise<Observed> {
  const { call, status, outputRepeat, output, ...more } = wish;
  const text = outputRepeat === undefined ? output : outputRepeat[0].repeat(outputRepeat[1]);
  const { error, elapsedMs, background } = more;
  const answer = await sequence.agent('POST', `/v1/tool-calls/${sequence.callId(call)}/result`, {
    status: STATUSES[status],
    ...(text === undefined ? {} : { output: text }),
    ...(error === undefined ? {} : { error }),
    ...(elapsedMs === undefined ? {} : { elapsedMs }),
    ...(background === undefined ? {} : { background }),
  });
  return observed(sequence, call, answer);
}

function observed(sequence: Sequence, call: string, answer: Answer): Observed {
  const { body } = answer;
  const output = (): string => String(body['output'] ?? '');
  return {
    executionStatus: () => body['status'],
    protocolBlock: () => ({ isError: body['status'] !== 'succeeded' }),
    message: () => body['message'],
    siblingAbort: () => ((body['siblingAbort'] ?? []) as string[]).map((id) => nameOf(sequence, id)),
    outputLengthAtMost: () => [...output()].length,
    outputExcludes: output,
    stub: () => body['shortened'],
    storedPath: () => storeWhole(sequence, call),
    hookCalled: (expected) => hookNames(sequence, sequence.sent(call).sessionId, expected),
    audit: (expected) => auditOf(sequence, call, expected as Record<string, unknown>),
  };
}

/** The row's own name of a call that the doors know by our id. */
export function nameOf(sequence: Sequence, callId: string): string {
  const found = [...sequence.calls].find(([, sent]) => sent.outcome?.id === callId);
  return found?.[0] ?? callId;
}

/** What the agent's side does with a long output: the whole of it goes into its library, under the id of the call. */
async function storeWhole(sequence: Sequence, call: string): Promise<string> {
  const page = await sequence.agent('GET', `/v1/tool-calls/${sequence.callId(call)}/output?offset=0`);
  if (page.status !== 200 || page.body['text'] === '') return 'nothing';
  return `${sequence.row.roots[0]}/tool-results/${sequence.sent(call).wish.id}.txt`;
}

async function auditOf(sequence: Sequence, call: string, expected: Record<string, unknown>) {
  const { sessionId, wish } = sequence.sent(call);
  const rows = await auditRows(sequence, sessionId);
  const row = rows.filter((one) => one['tool_name'] === wish.tool).at(-1);
  const preview = String(row?.['output_preview'] ?? '');
  const excluded = String(expected['previewExcludes'] ?? '\0');
  return { ...row, previewLength: [...preview].length, previewExcludes: preview.includes(excluded) ? '' : excluded };
}
