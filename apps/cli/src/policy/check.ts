/** `countersign check`: what a policy says of one call. */
import { escapeForDisplay, type Verdict } from '@countersign/contracts';
import { EXIT_OF_EFFECT, UNUSABLE } from './exit-codes.js';
import { judgeCall, type CallOptions } from './judge-call.js';
import { print, type Streams } from './streams.js';

/** Prints effect, rule and reason; the exit code tells the effect. */
export async function check(options: CallOptions, streams: Streams): Promise<number> {
  const judged = await judgeCall(options, streams);
  if (judged === null) return UNUSABLE;
  const { verdict } = judged;
  if (options.json) print(streams, JSON.stringify(answerOf(verdict)));
  else print(streams, escapeForDisplay(`${verdict.effect} by ${verdict.ruleId}: ${verdict.reason}`));
  return EXIT_OF_EFFECT[verdict.effect];
}

function answerOf({ effect, ruleId, reason, layer, risk, mode }: Verdict) {
  return { effect, ruleId, reason, layer, risk, mode };
}
