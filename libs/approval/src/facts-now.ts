/** What the engine is told of a call that was judged before, by the session and the policy as they are now. */
import type { Basis, Facts, Grant, PolicyDocument, RequestRecord } from '@countersign/contracts';
import { effectiveMode, sessionFacts } from './facts.js';
import type { SessionState } from './state.js';

/** A call as it was judged and recorded. */
export interface JudgedCall {
  readonly basis: Basis;
  readonly request: Pick<RequestRecord, 'mode' | 'resolvedPaths'>;
}

/** `line`: states from the root down to the call's session; empty: the session is as it was. `now`: ISO-8601 UTC. */
export interface Present {
  readonly line: readonly SessionState[];
  readonly now: string;
  readonly policy: Pick<PolicyDocument, 'agentModes'>;
  /** The grants that count. */
  readonly grants: readonly Grant[];
}

/**
 * The facts to judge it by again. Rules, limits on tools, silence and mode are those of now; evidence and what hooks said stay as they
 * were. Left out is what has its own place: how far the run has come, and kill switches.
 */
export function factsNow({ basis, request }: JudgedCall, { line, now, policy, grants }: Present): Facts {
  const { progress: _progress, kill: _kill, ...before } = basis.facts.session;
  const own = line.at(-1);
  const above = line.slice(0, -1);
  const session =
    own === undefined ? before : { ...sessionFacts(own, above), mode: effectiveMode(own, request, policy, above) };
  return {
    ...basis.facts,
    now,
    session: { ...session, grants: [...grants] },
    resolvedPaths: request.resolvedPaths,
  };
}
