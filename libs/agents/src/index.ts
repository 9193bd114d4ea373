/** Translators between each agent's own hook JSON and our words. */
import { isGateEvent } from './claude-code/events.js';
import { readClaudeHook } from './claude-code/read.js';
import { renderClaudeReply } from './claude-code/render.js';
import { AGENT_NAMES, type AgentName, type HookInput, type HookReply, type RenderedReply } from './hook-input.js';

export * from './hook-input.js';

interface Translator {
  readonly read: (body: unknown) => HookInput;
  readonly render: (event: string | null, reply: HookReply) => RenderedReply;
  readonly isGate: (event: string) => boolean;
}

const TRANSLATORS: Readonly<Record<AgentName, Translator>> = {
  'claude-code': { read: readClaudeHook, render: renderClaudeReply, isGate: isGateEvent },
};

/** Is this the name of an agent whose hooks are understood? */
export function isAgentName(name: string): name is AgentName {
  return AGENT_NAMES.some((agent) => agent === name);
}

/** Reads a hook body of any shape. Never throws. */
export function readHook(agent: AgentName, body: unknown): HookInput {
  return TRANSLATORS[agent].read(body);
}

/**
 * An answer as that agent's own JSON, documented keys only. `event` is the hook's event name, null when the body was
 * unreadable. For an event that gates no tool everything but a refusal of what it does take is `{}`.
 */
export function renderReply(agent: AgentName, event: string | null, reply: HookReply): RenderedReply {
  return TRANSLATORS[agent].render(event, reply);
}

/** Does the answer to this event decide whether a tool runs? Then whatever fails is answered with a refusal. */
export function isGate(event: string, agent: AgentName = 'claude-code'): boolean {
  return TRANSLATORS[agent].isGate(event);
}
