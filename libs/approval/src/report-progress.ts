/** What the agent's loop reports of its run, and what it is told in answer. */
import type { BackgroundResult, SessionEvent } from '@countersign/contracts';
import { accepted, type CommandContext, type CommandResult, type ProgressCommand } from './command.js';
import { sessionEvent, type BodyOf } from './events.js';
import { evolve } from './evolve.js';
import type { SessionState } from './state.js';
import { toldOf, type LoopLimits } from './told.js';
import { unreachable } from './unreachable.js';

/** Nothing is refused here: a report on a session that is held is recorded, and the loop is told to end. */
export function reportProgress(state: SessionState, command: ProgressCommand, context: CommandContext): CommandResult {
  const { by } = command;
  switch (command.type) {
    case 'ReportStep':
      return accepted([stepEvent(state, command, context)]);
    case 'ReportUsage': {
      const event = usageEvent(command.tokens, by);
      return accepted([{ ...event, body: { ...event.body, told: told(state, event, { ...context, ...command }) } }]);
    }
    case 'ReportPrompt': {
      const { characters, hash } = command;
      return accepted([
        sessionEvent('PromptSubmitted', { characters, hash, handedOver: [...state.run.background], by }),
      ]);
    }
    case 'ReportCompaction': {
      const { phase, ok } = command;
      return accepted([sessionEvent('CompactionReported', { phase, ok, by })]);
    }
    default:
      return unreachable(command, accepted([]));
  }
}

type StepCommand = Extract<ProgressCommand, { type: 'ReportStep' }>;

/** INVARIANT: a result is handed over once: the event that records it takes it off the list. */
function stepEvent(state: SessionState, command: StepCommand, context: CommandContext): SessionEvent {
  const { step, newInformation, completed, by } = command;
  const handedOver: BackgroundResult[] = [...state.run.background];
  const body = { step, newInformation, completed, handedOver, told: null, by };
  const event = sessionEvent('StepReported', body);
  return sessionEvent('StepReported', { ...body, told: told(state, event, { ...context, ...command }) });
}

function usageEvent(tokens: number, by: string) {
  const body: BodyOf<'UsageReported'> = { tokens, told: null, by };
  return { type: 'UsageReported', version: 1, body } as const;
}

/** What the state after the report calls for. */
function told(
  state: SessionState,
  event: SessionEvent,
  { ancestors = [], limits }: { ancestors?: readonly SessionState[]; limits: LoopLimits },
) {
  return toldOf(evolve(state, event), ancestors, limits);
}
