/** What executors are told when a session ends: which calls of it and below it run, and what each of them does about it. */
import type { SessionEndedMessage } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import { traitsOf } from '@countersign/policy';
import type { FindSessionPolicy } from '../sessions/session-policies.js';
import type { CancelNotice, RunningCallNotice } from './notices.js';

export interface CancelNoticeDeps {
  readonly ledger: { readonly calls: Pick<Ledger['calls'], 'running'> };
  readonly policies: FindSessionPolicy;
}

/** `calls`: what runs by now, also when the end itself was earlier. */
export async function cancelNotice(message: SessionEndedMessage, deps: CancelNoticeDeps): Promise<CancelNotice> {
  const { tenantId, sessionId, how } = message;
  const running = await deps.ledger.calls.running(tenantId, sessionId);
  const calls = await Promise.all(
    running.map(async ({ callId, policy, tool, ...of }): Promise<RunningCallNotice> => {
      const { compiled } = await deps.policies(tenantId, policy);
      const { interrupt } = traitsOf(tool, null, compiled.preset.tools);
      return { id: callId, sessionId: of.sessionId, tool, interrupt };
    }),
  );
  return { sessionId, how, calls };
}
