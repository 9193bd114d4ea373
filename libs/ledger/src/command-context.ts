/** What a command is decided on besides its session: asks, sessions above, the tenant, and the call of a permit. */
import type { CommandContext, SessionCommand } from '@countersign/approval';
import type { AskToEnd } from './asks.js';
import type { Calls } from './calls.js';
import type { Line } from './load-line.js';

interface Commanded {
  readonly calls: Pick<Calls, 'byId'>;
  readonly target: { readonly tenantId: string; readonly sessionId: string };
  readonly command: SessionCommand;
}

/** `own`: the loaded asks of the command's own session. */
export async function commandContext(
  { calls, target, command }: Commanded,
  line: Line,
  own: readonly AskToEnd[],
): Promise<CommandContext> {
  const context = contextOf(line, own);
  if (command.type !== 'RedeemPermit') return context;
  return { ...context, ...(await storedCall(calls, target, command.callId)) };
}

/** What every command is decided on. */
export function contextOf(line: Line, own: readonly AskToEnd[]): CommandContext {
  return {
    now: line.now,
    asks: Object.fromEntries(own.map((ask) => [ask.askId, ask.opened])),
    ancestors: line.ancestors.map((member) => member.state),
    frozen: own.filter((ask) => ask.frozen).map((ask) => ask.askId),
    tenant: line.tenant.state,
  };
}

/** What `RedeemPermit` is decided on. The row may change until the append, which looks at it again. */
async function storedCall(
  calls: Commanded['calls'],
  target: Commanded['target'],
  callId: string,
): Promise<Pick<CommandContext, 'call'>> {
  const found = await calls.byId(target.tenantId, callId);
  if (found === null || found.key.sessionId !== target.sessionId) return {};
  const effect = found.status === 'open' ? 'pending' : found.outcome.decision;
  const [redeemed, reported] = [found.redeemed !== null, found.reported !== null];
  return { call: { callId, agent: found.key.agent, tool: found.tool, effect, redeemed, reported } };
}
