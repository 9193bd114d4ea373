/** Tells the whole life of a session that differs from its model, so that a failure explains itself. */
import type { StoredEvent } from '@countersign/contracts';
import type { AskRun } from './ask-run.js';
import { TENANT } from './ask-world.js';

const PAGE = 5_000;

/** What was done, what the agents were told, what is stored: a line each. */
export async function storyOf(run: AskRun, error: unknown): Promise<string> {
  const { sessionId, world } = run;
  const events = await world.ledger.events.ofStream({ tenantId: TENANT, streamId: sessionId }, 0, PAGE);
  const asks = await Promise.all(run.calls.map(({ askId }) => world.ledger.asks.get(TENANT, askId)));
  return [
    textOf(error),
    `\nsession ${sessionId}, what was done:`,
    ...run.journal,
    '\nits asks:',
    ...asks.map((ask, place) => {
      const told = run.calls[place];
      const end = `${ask?.status} by ${ask?.resolvedBy} via ${ask?.resolvedVia}, deadline ${ask?.deadline}`;
      return `${place} ${told?.command} ${told?.askId}: ${end}; its agent was told ${told?.told ?? 'nothing yet'}`;
    }),
    '\nits events:',
    ...events.map(lineOf),
  ].join('\n');
}

/** Of an error of any realm, with what caused it. */
function textOf(error: unknown): string {
  const { message = String(error), cause } = error as { message?: string; cause?: unknown };
  return cause === undefined ? message : `${message}, because ${String(cause)}`;
}

function lineOf({ seq, time, type, askId, callId, body }: StoredEvent): string {
  const { decision, status, by, answer, code, reason } = body as Record<string, unknown>;
  const said = Object.entries({ decision, status, by, answer, code, reason }).filter(
    ([, value]) => value !== undefined,
  );
  const what = said.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(' ');
  return `${seq} ${time} ${type} ${askId ?? ''} ${callId ?? ''} ${what}`.slice(0, 400);
}
