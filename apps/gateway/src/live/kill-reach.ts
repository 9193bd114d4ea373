/** Which kill switches an agent's line is told of: those that may hold something of its own, and nobody else's. */
import type { KillFact } from '@countersign/contracts';

/** What a line or a stream is about: sessions with all above them, and the agents that they or their calls name. */
export interface Heard {
  readonly sessions: ReadonlySet<string>;
  readonly agents: ReadonlySet<string>;
}

/** A tenant's and a tool's hold everybody; a session's and an agent's only those who have to do with it. */
export function touches({ scope, value }: KillFact, { sessions, agents }: Heard): boolean {
  switch (scope) {
    case 'tenant':
    case 'tool':
      return true;
    case 'session':
      return value !== null && sessions.has(value);
    case 'agent':
      return value !== null && agents.has(value);
    default:
      return unreachable(scope);
  }
}

/** Rather once too often than never. */
function unreachable(_scope: never): boolean {
  return true;
}
