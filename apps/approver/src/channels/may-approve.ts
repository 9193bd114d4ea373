/** May an ask be approved from a card of a channel? Only when the card shows all of it and the route does not forbid it. */
import { isApprovableOn, OPEN_ROUTE, type AskCard } from '@countersign/approval';
import type { AskView, Channel } from '@countersign/contracts';

export function mayApproveOn(channel: Channel, ask: AskView, card: AskCard): boolean {
  return card.approvable && isApprovableOn(ask.route ?? OPEN_ROUTE, channel);
}
