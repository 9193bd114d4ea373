/** Agents whose hooks `countersign hook` speaks. */
export const HOOK_AGENTS = ['claude-code'] as const;
export type HookAgent = (typeof HOOK_AGENTS)[number];
