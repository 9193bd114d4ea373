/** Whom an ask goes to and who may answer it: the first route of the policy that fits, kept with the ask as it was. */
import type { AskRoute, Channel, Risk, Route } from '@countersign/contracts';

/** What a route may choose asks by. */
export interface RoutedAsk {
  readonly tool: string;
  /** The name that the call came under, and that its session was opened with: a route by either holds. */
  readonly agents: readonly string[];
  readonly ruleId: string;
  readonly risk: Risk;
}

/** Everybody with the role, on every channel. */
export const OPEN_ROUTE: AskRoute = { channels: null, approvers: null, rejectOnlyOn: [], remindAfter: null };

/** The route of an ask. Total: where no route fits, everybody with the role may answer. */
export function routeOf(routes: readonly Route[], ask: RoutedAsk): AskRoute {
  const route = routes.find((one) => fits(one, ask));
  if (route === undefined) return OPEN_ROUTE;
  return {
    channels: route.channels ?? null,
    approvers: route.approvers ?? null,
    rejectOnlyOn: route.rejectOnlyOn ?? [],
    remindAfter: route.remindAfter ?? null,
  };
}

function fits({ tools, agents, risk, rules }: Route, ask: RoutedAsk): boolean {
  return (
    names(tools, ask.tool) &&
    (agents === undefined || ask.agents.some((agent) => agents.includes(agent))) &&
    names(risk, ask.risk) &&
    (rules === undefined || rules.some((rule) => fitsRule(rule, ask.ruleId)))
  );
}

function names(list: readonly string[] | undefined, name: string): boolean {
  return list === undefined || list.includes(name);
}

function fitsRule(rule: string, ruleId: string): boolean {
  return rule.endsWith('*') ? ruleId.startsWith(rule.slice(0, -1)) : rule === ruleId;
}

/** Who answers, with what is known of them at that very moment. `program` names a webhook that answers for itself. */
export interface Membership {
  readonly personId: string | null;
  readonly personName: string | null;
  readonly groups: readonly string[];
  readonly program: string | null;
}

/** May this person or program answer an ask of that route? INVARIANT: an empty list means nobody. */
export function mayAnswer(route: AskRoute, who: Membership): boolean {
  if (route.approvers === null) return who.personId !== null || who.program !== null;
  return route.approvers.some((entry) => {
    const colon = entry.indexOf(':');
    const name = entry.slice(colon + 1);
    switch (entry.slice(0, colon)) {
      case 'group':
        return who.personId !== null && who.groups.includes(name);
      case 'person':
        return who.personId !== null && (name === who.personId || name === who.personName);
      case 'program':
        return name === who.program;
      default:
        return false;
    }
  });
}

/** May an ask of that route be approved on this channel? Rejecting is possible everywhere. */
export function isApprovableOn(route: AskRoute, channel: Channel): boolean {
  return !route.rejectOnlyOn.includes(channel);
}
