/** What executors are told when a session ends: which of its calls run, and what each of them does about it. */
import type { SessionEndedMessage } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import { traitsOf } from '@countersign/policy';
import type { FindSessionPolicy } from '../sessions/session-policies.js';
import type { CancelNotice, RunningCallNotice } from './notices.js';

export interface CancelNoticeDeps {
  readonly ledger: Pick<Ledger, 'loadRound' | 'calls'>;
  readonly policies: FindSessionPolicy;
}

export async function cancelNotice(message: SessionEndedMessage, deps: CancelNoticeDeps): Promise<CancelNotice> {
  const { tenantId, sessionId, how } = message;
  const streams = [{ tenantId, streamId: sessionId, knownSeq: null }];
  const { heads } = await deps.ledger.loadRound({ tenants: [], streams, keys: [], hashJoins: [] });
  const state = heads[0]?.state;
  if (state === undefined) return { sessionId, how, calls: [] };
  const { compiled } = await deps.policies(tenantId, state.opening?.policy ?? '');
  const calls = await Promise.all(
    state.running.map(async ({ callId }): Promise<RunningCallNotice[]> => {
      const row = await deps.ledger.calls.byId(tenantId, callId);
      if (row === null) return [];
      const { interrupt } = traitsOf(row.tool, null, compiled.preset.tools);
      return [{ id: callId, tool: row.tool, interrupt }];
    }),
  );
  return { sessionId, how, calls: calls.flat() };
}
