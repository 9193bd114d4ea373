/** What an agent is told when nobody judged its call. */
import type { HookAgent } from './agents.js';
import type { HookBody } from './read-input.js';

/** `block`: the tool does not run. `ask`: the agent's own prompt decides, where the event has one. */
export type OnFailure = 'block' | 'ask';

/** What `refuse` is told besides: `pending` is a call that people are asked about, so that only they may let it run. */
export type Failure = OnFailure | 'pending';

/** `complaint` goes to standard error, where the agent reads the reason of a block. */
export interface Refusal {
  readonly exitCode: 0 | 2;
  readonly complaint: string;
  readonly reply: Record<string, unknown> | null;
}

/** Exit code 2 with a text on standard error stops a tool whatever the agent's version. */
const BLOCK = 2;
/** Events that ignore exit code 2: only JSON refuses there. */
const READS_ONLY_JSON: ReadonlySet<string> = new Set(['PermissionRequest']);
/** Gates behind which the agent has a prompt of its own to fall back to. */
const HAS_PROMPT: ReadonlySet<string> = new Set(['PreToolUse', 'PermissionRequest']);

/** The answer to a hook that could not be judged. `body` null: it was unreadable, and whatever waits for it is blocked. */
export async function refuse(
  agent: HookAgent,
  body: HookBody | null,
  reason: string,
  onFailure: Failure,
): Promise<Refusal> {
  const event = body?.event ?? null;
  if (event === null) return { exitCode: BLOCK, complaint: `not judged: ${reason}`, reply: null };
  const { isGate, renderReply } = await import('@countersign/agents');
  if (!isGate(event, agent)) return { exitCode: 0, complaint: `${event} was not reported: ${reason}`, reply: null };
  if (onFailure === 'ask' && HAS_PROMPT.has(event)) {
    const complaint = `not judged, so your own prompt decides (--on-failure ask): ${reason}`;
    return { exitCode: 0, complaint, reply: renderReply(agent, event, ownPrompt(reason)) };
  }
  const complaint = onFailure === 'pending' ? reason : `blocked, since nobody could judge it: ${reason}`;
  if (!READS_ONLY_JSON.has(event)) return { exitCode: BLOCK, complaint, reply: null };
  return { exitCode: 0, complaint, reply: renderReply(agent, event, { kind: 'refusal', reason: complaint }) };
}

function ownPrompt(reason: string) {
  const outcome = {
    id: 'call_unjudged',
    decision: 'pending',
    ruleId: 'hook.unreachable',
    reason: `Countersign could not judge this call: ${reason}`,
    layer: 'default',
    approvalStatus: null,
    passAsk: true,
  } as const;
  return { kind: 'decision', outcome } as const;
}
