/** Opening a session, or opening it again. */
import type { SessionOpening } from '@countersign/contracts';
import { accepted, refused, type CommandContext, type CommandResult, type SessionCommand } from './command.js';
import { sessionEvent } from './events.js';
import type { SessionState } from './state.js';

/**
 * The same opening by the same key again is no event, and a stopped session goes on. Another key is refused, and so is an
 * opening that differs in anything that bounds the session: agent, parent, policy, roots, silence, tools.
 */
export function openSession(
  state: SessionState | null,
  command: Extract<SessionCommand, { type: 'OpenSession' }>,
  { now }: Pick<CommandContext, 'now'>,
): CommandResult {
  const { sessionId, keyId, opening, rootId, grants = [] } = command;
  if (state === null || state.opening === null) {
    return accepted([
      sessionEvent('SessionStarted', { sessionId, keyId, opening, rootId, at: now }),
      ...grants.map((grant) => sessionEvent('GrantCreated', { grant })),
    ]);
  }
  if (state.keyId !== keyId) return refused('auth.not_own_session');
  if (bounds(state.opening) !== bounds(opening)) return refused('session.exists');
  return accepted(state.stopped ? [sessionEvent('SessionReopened', { by: keyId })] : []);
}

function bounds({ agent, parentId, policy, roots, silent, tools }: SessionOpening): string {
  return JSON.stringify([agent, parentId, policy, roots, silent, tools]);
}
