/** An ask as a Slack message can show it. */
import { askCard, type AskCard } from '@countersign/approval';
import type { AskView } from '@countersign/contracts';
import { SLACK_CARD } from './limits.js';

export function slackCard(ask: AskView): AskCard {
  return askCard(ask, SLACK_CARD);
}
