/** Several calls of one step, decided together. */
import type { CallOutcome } from '@countersign/contracts';
import type { Observed } from './compare.js';
import type { Sequence } from './sequence.js';
import type { CallWish } from './sequence-row.js';
import { callBody } from './step-call.js';
import { nameOf } from './step-report.js';

interface PlannedBatch {
  readonly parallel: boolean;
  readonly calls: readonly string[];
}

export async function sendBatch(sequence: Sequence, wishes: readonly CallWish[]): Promise<Observed> {
  const calls = wishes.map((wish) => {
    const { toolUseId, tool, args, resolvedPaths } = callBody(sequence, wish);
    return { toolUseId, tool, args, resolvedPaths };
  });
  const { sessionId, row } = sequence;
  const answer = await sequence.agent('POST', '/v1/tool-calls/batch', { sessionId, cwd: row.cwd, wait: 0, calls });
  const { calls: outcomes = [], plan = [] } = answer.body as unknown as {
    calls?: CallOutcome[];
    plan?: PlannedBatch[];
  };
  wishes.forEach((wish, place) => {
    sequence.calls.set(wish.id, { wish, sessionId, answer, outcome: outcomes[place] ?? null });
  });
  return {
    batches: () => plan.map((batch) => batch.calls.map((id) => nameOf(sequence, id))),
    parallel: () => plan.map((batch) => batch.parallel),
    denied: () => wishes.filter((_wish, place) => outcomes[place]?.decision === 'deny').map(({ id }) => id),
  };
}
