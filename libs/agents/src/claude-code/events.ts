/** The events of Claude Code that mean something to us; the set is open and every other one is a note. */

/** Events whose answer decides whether a tool runs. */
export const GATE_EVENTS = ['PreToolUse', 'PermissionRequest', 'PreSkillShellCommand'] as const;
export type GateEvent = (typeof GATE_EVENTS)[number];

/** Does this event wait for a decision on a tool? */
export function isGateEvent(event: string): event is GateEvent {
  return GATE_EVENTS.some((gate) => gate === event);
}

/**
 * Tools that are the agent's own conversation with its user. Allowing them must not answer the dialog: an `allow` that
 * rewrites nothing is left unsaid, so that the user is still asked.
 */
export const DIALOG_TOOLS: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode']);
