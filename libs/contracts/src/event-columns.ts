/** Which of an event's facts stand in columns of their own, to be searched by. */
import type { LedgerEvent } from './events.js';

/** The searchable columns of an event; all of them are covered by its hash. */
export interface EventColumns {
  readonly callId: string | null;
  readonly askId: string | null;
  readonly agent: string | null;
  readonly tool: string | null;
  readonly decision: string | null;
  readonly ruleId: string | null;
  readonly personId: string | null;
  readonly channel: string | null;
}

const NO_COLUMNS: EventColumns = {
  callId: null,
  askId: null,
  agent: null,
  tool: null,
  decision: null,
  ruleId: null,
  personId: null,
  channel: null,
};

/** Projects an event onto the columns it is searched by. */
export function eventColumns(item: LedgerEvent): EventColumns {
  switch (item.type) {
    case 'ToolCallDecided': {
      const { request, decision } = item.body;
      return {
        callId: request.callId,
        askId: decision.askId,
        agent: request.agent,
        tool: request.tool,
        decision: decision.effect,
        ruleId: decision.ruleId,
        personId: decision.answeredBy?.personId ?? null,
        channel: decision.answeredBy?.channel ?? null,
      };
    }
    case 'AskOpened':
      return {
        ...NO_COLUMNS,
        callId: item.body.request.callId,
        askId: item.body.askId,
        agent: item.body.request.agent,
        tool: item.body.request.tool,
        decision: 'ask',
        ruleId: item.body.verdict.ruleId,
      };
    case 'AskJoined':
      return {
        ...NO_COLUMNS,
        callId: item.body.request.callId,
        askId: item.body.askId,
        agent: item.body.request.agent,
        tool: item.body.request.tool,
      };
    case 'AskParked':
    case 'AskHeld':
      return { ...NO_COLUMNS, callId: item.body.callId, askId: item.body.askId };
    case 'AskNotified':
    case 'NotifyFailed':
      return { ...NO_COLUMNS, askId: item.body.askId, channel: item.body.channel };
    case 'AskAnswered':
    case 'AskAnswerRefused':
      return { ...NO_COLUMNS, askId: item.body.askId, personId: item.body.by.personId, channel: item.body.by.channel };
    case 'AskResolved':
      return {
        ...NO_COLUMNS,
        callId: item.body.callId,
        askId: item.body.askId,
        personId: item.body.by.personId,
        channel: item.body.by.channel,
      };
    case 'ToolResultReported':
      return { ...NO_COLUMNS, callId: item.body.callId, tool: item.body.tool };
    case 'HookRan':
      return { ...NO_COLUMNS, callId: item.body.callId };
    case 'PermitRedeemed':
      return { ...NO_COLUMNS, callId: item.body.callId, tool: item.body.tool };
    case 'GrantConsumed':
      return { ...NO_COLUMNS, callId: item.body.callId };
    case 'GrantCreated':
      return {
        ...NO_COLUMNS,
        askId: item.body.grant.askId,
        tool: item.body.grant.tool,
        personId: item.body.grant.personId,
      };
    case 'MembershipChanged':
      return { ...NO_COLUMNS, personId: item.body.personId };
    case 'SessionStarted':
      return { ...NO_COLUMNS, agent: item.body.opening.agent };
    case 'SiblingsStopped':
    case 'ResultsHandedOver':
      return { ...NO_COLUMNS, callId: item.body.callId };
    default:
      return NO_COLUMNS;
  }
}
