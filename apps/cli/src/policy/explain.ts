/** `countersign explain`: why a policy says what it says of one call, step by step. */
import { escapeForDisplay } from '@countersign/contracts';
import { explain as explanationOf, renderTrace, traceOf } from '@countersign/policy';
import { GOOD, UNUSABLE } from './exit-codes.js';
import { judgeCall, type CallOptions } from './judge-call.js';
import { print, type Streams } from './streams.js';

/** Prints the explanation and the trace, both rendered from the one verdict. */
export async function explainCall(options: CallOptions, streams: Streams): Promise<number> {
  const judged = await judgeCall(options, streams);
  if (judged === null) return UNUSABLE;
  const { verdict, policy } = judged;
  const explanation = explanationOf(verdict);
  const trace = traceOf(verdict, policy.preset.layers);
  if (options.json) {
    print(streams, JSON.stringify({ explanation, trace, verdict }));
    return GOOD;
  }
  const lines = [
    explanation.explanation,
    `Risk ${explanation.riskLevel}: ${explanation.risk}`,
    explanation.reasoning,
  ].map((text) => escapeForDisplay(text, { keepLines: true }));
  print(streams, [...lines, '', renderTrace(trace)].join('\n'));
  return GOOD;
}
