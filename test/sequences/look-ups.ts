/** What steps look up behind the doors' answers: permits, hooks that ran, the audit view, names of events. */
import { setTimeout as pause } from 'node:timers/promises';
import type { CallOutcome, StoredEvent } from '@countersign/contracts';
import type { Sequence } from './sequence.js';

/** The obligations that a call's permit carries, by the seed's names; undefined: there is no permit. */
export function permitOf(outcome: CallOutcome | null): Record<string, unknown> | undefined {
  const permit = (outcome as { permit?: unknown } | null)?.permit;
  if (typeof permit !== 'string') return undefined;
  const [, payload = ''] = permit.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as {
    obligations?: Record<string, unknown>;
  };
  const { timeoutMs, maxOutputChars, interrupt } = claims.obligations ?? {};
  const word = typeof interrupt === 'string' ? interrupt.charAt(0).toUpperCase() + interrupt.slice(1) : undefined;
  return { timeoutSec: Number(timeoutMs) / 1_000, maxOutputChars, interrupt: word };
}

interface HookRun {
  readonly moment: string;
  readonly callId: string | null;
}

async function runsOf(sequence: Sequence, session: string): Promise<HookRun[]> {
  const runs = await sequence.events({ session, type: 'HookRan' });
  return runs.map(({ body, callId }) => ({ moment: String((body as { on?: unknown }).on), callId }));
}

export async function hooksRun(sequence: Sequence, id: string): Promise<number> {
  const callId = sequence.callId(id);
  const runs = await runsOf(sequence, sequence.sent(id).sessionId);
  return runs.filter((run) => run.callId === callId && run.moment === 'PreToolUse').length;
}

/** Our life-cycle events by the names of the seed's ten members. */
const MEMBERS: Readonly<Record<string, string>> = {
  SessionStart: 'on_session_start',
  PreToolUse: 'pre_tool_use',
  PostToolUse: 'post_tool_use',
  StepComplete: 'on_step_complete',
  SessionStop: 'on_session_stop',
  SubagentStart: 'on_subagent_start',
  SubagentStop: 'on_subagent_stop',
  PreCompact: 'on_pre_compact',
  PostCompact: 'on_post_compact',
};

/** Those that observe are told after the fact. */
const PATIENCE_MS = 5_000;

/** The members of the hook that were called in this session, once `expected` is among them or too long away. */
export async function hookNames(sequence: Sequence, session: string, expected: unknown): Promise<string[]> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const names = (await runsOf(sequence, session)).map(({ moment }) => MEMBERS[moment] ?? moment);
    if (names.some((name) => name === expected) || Date.now() > until) return names;
    await pause(25);
  }
}

/** One stored event by the names that rows use. */
export function kindsOf({ type, body }: StoredEvent): string[] {
  switch (type) {
    case 'ToolCallDecided':
      return ['call.requested', 'decision.made'];
    case 'AskResolved':
      return ['ask.resolved'];
    case 'GrantCreated':
      return ['rule.added'];
    case 'SessionModeChanged':
      return ['mode.changed'];
    case 'SessionCancelled':
      return ['Error'];
    case 'SessionRulesChanged': {
      const { added, removed } = body as { added: unknown[]; removed: unknown[] };
      return [...(added.length > 0 ? ['rule.added'] : []), ...(removed.length > 0 ? ['rule.removed'] : [])];
    }
    default:
      return [type];
  }
}

/** Rows of the view that the seed calls `agent_audit_log`, newest last. */
export async function auditRows(sequence: Sequence, session = sequence.sessionId): Promise<Record<string, unknown>[]> {
  const answer = await sequence.people('GET', `/v1/agent-audit-log?session=${session}&limit=500`);
  if (answer.status !== 200) throw new Error(`no audit view: ${answer.status}`);
  return (answer.body as unknown as { items: Record<string, unknown>[] }).items;
}
